/** The two clocks: a day on which something was true, and a day up to which it was known; played together. */

import { html, useEffect, useRef, useState } from "../frame.ts";
import type { ComponentChildren } from "preact";
import type { Days } from "./model.ts";
import { time as text } from "./texts.ts";

const date = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "long", year: "numeric" });
/** A whole play takes about so many steps. */
const STEPS = 200;

export function Clocks(props: {
  days: Days;
  trueDay: number;
  knownDay: number;
  joined: boolean;
  setDay: (day: number) => void;
  setKnown: (day: number) => void;
  setJoined: (joined: boolean) => void;
  children: ComponentChildren;
}) {
  const { days, trueDay, knownDay, joined, setDay } = props;
  const [playing, setPlaying] = useState(false);
  const latest = useRef(trueDay);
  latest.current = trueDay;
  useEffect(() => {
    if (!playing) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = Math.max(1, Math.round(days.count / (still ? 24 : STEPS)));
    if (latest.current >= days.count - 1) setDay(0);
    const timer = setInterval(
      () => {
        const next = Math.min(days.count - 1, latest.current + step);
        setDay(next);
        if (next === days.count - 1) setPlaying(false);
      },
      still ? 700 : 60,
    );
    return () => clearInterval(timer);
  }, [playing, joined]);
  const name = (day: number) => date.format(days.start(day));
  const onKey = (event: KeyboardEvent) => {
    if (event.key === " ") setPlaying(!playing);
    else if (event.key === "PageUp") setDay(trueDay + 30);
    else if (event.key === "PageDown") setDay(trueDay - 30);
    else return;
    event.preventDefault();
  };
  const slider = (day: number, label: string, set: (day: number) => void, kind: string) =>
    html`<input
      type="range"
      class=${`time-slider ${kind}`}
      min="0"
      max=${days.count - 1}
      value=${day}
      aria-label=${label}
      aria-valuetext=${name(day)}
      title=${text.keys}
      onInput=${(event: Event) => {
        setPlaying(false);
        set(Number((event.target as HTMLInputElement).value));
      }}
      onKeyDown=${onKey}
    />`;
  return html`<div class="time-clocks">
    <div class="time-head">
      <button type="button" class="time-play" aria-pressed=${playing} onClick=${() => setPlaying(!playing)}>
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <path d=${playing ? "M1 0h4v12H1zM7 0h4v12H7z" : "M1 0l10 6-10 6z"} fill="currentColor" />
        </svg>
        ${playing ? text.pause : text.play}
      </button>
      <span class="time-step">
        <button type="button" aria-label=${text.before} title=${text.before} onClick=${() => setDay(trueDay - 1)}>‹</button>
        <button type="button" aria-label=${text.after} title=${text.after} onClick=${() => setDay(trueDay + 1)}>›</button>
        <button type="button" onClick=${() => setDay(days.count - 1)}>${text.latest}</button>
      </span>
      <p class="time-dial true"><span>${joined ? text.on : text.trueOn}</span><b>${name(trueDay)}</b></p>
      ${!joined && html`<p class="time-dial known"><span>${text.knownBy}</span><b>${name(knownDay)}</b></p>`}
      <button type="button" class="time-join" aria-pressed=${!joined} onClick=${() => props.setJoined(!joined)}>
        ${joined ? text.separate : text.join}
      </button>
    </div>
    ${props.children} ${slider(trueDay, joined ? text.day : text.trueOn, setDay, "true")}
    ${!joined && slider(knownDay, text.knownBy, props.setKnown, "known")}
  </div>`;
}
