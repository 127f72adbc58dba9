/** The chart of the page Time: three lanes over the whole time, the clocks, and a window that is dragged. */

import { html, useEffect, useMemo, useRef, useState } from "../frame.ts";
import { type Timeline, ticks } from "./model.ts";
import { time as text } from "./texts.ts";

const LANE = 46;
const GAP = 10;
const AXIS = 22;
const HEIGHT = 3 * LANE + 2 * GAP + AXIS + 6;
const number = new Intl.NumberFormat();
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

interface Shared {
  line: Timeline;
  from: number;
  to: number;
}

interface Props extends Shared {
  trueOn: number;
  knownBy: number;
  window?: [number, number];
  setWindow: (window: [number, number] | undefined) => void;
  setDay: (moment: number) => void;
}

export function Chart(props: Props) {
  const { from, to, line } = props;
  const frame = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(800);
  const [over, setOver] = useState<number>();
  const [drag, setDrag] = useState<[number, number]>();
  useEffect(() => {
    const size = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry?.contentRect.width ?? 0))));
    size.observe(frame.current!.parentElement!);
    return () => size.disconnect();
  }, []);
  const x = (moment: number) => ((moment - from) / (to - from)) * width;
  const at = (event: PointerEvent) => {
    const { left } = frame.current!.getBoundingClientRect();
    return from + (Math.min(width, Math.max(0, event.clientX - left)) / width) * (to - from);
  };
  const on = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      frame.current!.setPointerCapture(event.pointerId);
      setDrag([at(event), at(event)]);
    },
    onPointerMove: (event: PointerEvent) => {
      setOver(at(event));
      if (drag) setDrag([drag[0], at(event)]);
    },
    onPointerUp: () => {
      if (!drag) return;
      const [a, b] = [Math.min(...drag), Math.max(...drag)];
      if (x(b) - x(a) > 5) props.setWindow([a, b]);
      else props.setDay(a);
      setDrag(undefined);
    },
    onPointerCancel: () => setDrag(undefined),
    onPointerLeave: () => setOver(undefined),
    onDblClick: () => props.setWindow(undefined),
  };
  const window = drag ?? props.window;
  const [left, right] = window ? [x(Math.min(...window)), x(Math.max(...window))] : [0, width];
  const bottom = 3 * LANE + 2 * GAP;
  return html`<div class="time-chart">
    <svg ref=${frame} width=${width} height=${HEIGHT} role="img" aria-label=${text.chart} ...${on}>
      <rect width=${width} height=${HEIGHT} fill="transparent" />
      <${Axis} from=${from} to=${to} width=${width} bottom=${bottom} />
      <${Lanes} line=${line} from=${from} to=${to} width=${width} />
      <rect class="time-later" x=${x(props.knownBy)} y=${LANE + GAP} width=${Math.max(0, width - x(props.knownBy))} height=${LANE} />
      <rect class="time-later" x=${x(props.trueOn)} y="0" width=${Math.max(0, width - x(props.trueOn))} height=${LANE} />
      ${
        window &&
        html`<rect class="time-out" width=${left} height=${bottom} />
          <rect class="time-out" x=${right} width=${Math.max(0, width - right)} height=${bottom} />
          <rect class="time-window" x=${left} width=${Math.max(1, right - left)} height=${bottom} />`
      }
      <line class="time-mark known" x1=${x(props.knownBy)} x2=${x(props.knownBy)} y1=${LANE + GAP - 4} y2=${bottom} />
      <line class="time-mark" x1=${x(props.trueOn)} x2=${x(props.trueOn)} y1="0" y2=${bottom} />
      ${over !== undefined && !drag && html`<line class="time-over" x1=${x(over)} x2=${x(over)} y1="0" y2=${bottom} />`}
    </svg>
    <${Reading} line=${line} from=${from} to=${to} moment=${over ?? props.trueOn} />
  </div>`;
}

function Axis({ from, to, width, bottom }: { from: number; to: number; width: number; bottom: number }) {
  const marks = useMemo(() => ticks(from, to, Math.max(2, Math.floor(width / 62))), [from, to, width]);
  return html`<g class="time-axis">
    ${marks.map(({ at, major, label }) => {
      const x = ((at - from) / (to - from)) * width;
      const anchor = x < 20 ? "start" : x > width - 24 ? "end" : "middle";
      return html`<line x1=${x} x2=${x} y1="0" y2=${bottom + 4} class=${major ? "major" : ""} />
        <text x=${x} y=${bottom + 18} text-anchor=${anchor} class=${major ? "major" : ""}>${label}</text>`;
    })}
  </g>`;
}

/** The lanes are drawn once: the clocks move over them. */
function Lanes({ line, from, to, width }: Shared & { width: number }) {
  return useMemo(() => {
    const start = Date.parse(line.since!);
    const x = (bucket: number) => ((start + bucket * line.width * 1000 - from) / (to - from)) * width;
    // The root of the count: beside an import of thousands a day of three is still seen.
    const bars = (values: number[], top: number, name: string) => {
      const most = Math.max(1, ...values);
      const path = values
        .map((value, at) => {
          if (!value) return "";
          const height = Math.max(2, Math.sqrt(value / most) * (LANE - 14));
          return `M${x(at).toFixed(1)} ${top + LANE}v${-height.toFixed(1)}H${(x(at + 1) - 0.5).toFixed(1)}v${height.toFixed(1)}z`;
        })
        .join("");
      return html`<path class=${`time-bars ${name}`} d=${path} />`;
    };
    const top = 2 * (LANE + GAP);
    const most = Math.max(1, ...line.true, ...line.believed);
    const steps = (values: number[]) =>
      values.reduce(
        (path, value, at) => `${path}V${(top + LANE - (value / most) * (LANE - 14)).toFixed(1)}H${x(at + 1).toFixed(1)}`,
        `M${x(0).toFixed(1)} ${top + LANE}`,
      );
    const ends = line.ended
      .map((value, at) => (value ? `M${x(at + 0.5).toFixed(1)} ${top + 3}v${LANE - 3}` : ""))
      .join("");
    return html`<g>
      ${bars(line.happened, 0, "happened")} ${bars(line.learnt, LANE + GAP, "learnt")}
      <path class="time-area" d=${`${steps(line.true)}V${top + LANE}Z`} />
      <path class="time-ended" d=${ends} />
      <path class="time-true" d=${steps(line.true)} />
      <path class="time-believed" d=${steps(line.believed)} />
      ${[
        [text.happened, 0],
        [text.learnt, LANE + GAP],
        [text.stood, top],
      ].map(([name, y]) => html`<text class="time-lane" x="4" y=${Number(y) + 11}>${name}</text>`)}
    </g>`;
  }, [line, from, to, width]);
}

/** What the chart says at a moment, in numbers. It is the legend, too. */
function Reading({ line, moment }: Shared & { moment: number }) {
  const start = Date.parse(line.since!);
  const wide = line.width * 1000;
  const bucket = Math.min(line.true.length - 1, Math.max(0, Math.floor((moment - start) / wide)));
  const rows: [string, number][] = [
    ["happened", line.happened[bucket] ?? 0],
    ["learnt", line.learnt[bucket] ?? 0],
    ["ended", line.ended[bucket] ?? 0],
    ["stood", line.true[bucket] ?? 0],
    ["believed", line.believed[bucket] ?? 0],
  ];
  const names = text as unknown as Record<string, string>;
  const [a, b] = [full.format(start + bucket * wide), full.format(start + (bucket + 1) * wide - 1)];
  return html`<p class="time-reading">
    <b>${a === b ? a : `${a} – ${b}`}</b>
    ${rows.map(([name, value]) => html`<span class=${`key ${name}`}>${names[name]} <b>${number.format(value)}</b></span>`)}
  </p>`;
}
