/** One memory of a list of the page Time: its text, how it stood, and its two spans as bars. */

import { html, linkTo } from "../frame.ts";
import { type Dated, standing } from "./model.ts";
import { time as text } from "./texts.ts";

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const shown = (moment: string): string => day.format(new Date(moment));

export interface RowProps {
  each: Dated;
  moment: string;
  at: number;
  known: number;
  from: number;
  to: number;
}

export function Row({ each, moment, at, known, from, to }: RowProps) {
  const state = standing(each, at, known);
  const start = shown(each.true_from);
  const end = each.true_to && shown(each.true_to);
  const truth = !end ? text.since(start) : start === end ? text.only(start) : text.span(start, end);
  return html`<li class=${`time-row ${state}`}>
    <time datetime=${moment}>${clock.format(new Date(moment))}</time>
    <div class="time-what">
      <a href=${linkTo.memory(each.id)} dir="auto">${each.text}</a>
      <p>
        <span class="time-state">${text.standing[state]}</span>
        <span>${truth}</span> <span>${text.knownSince(shown(each.recorded))}</span>
        ${
          each.superseded_by &&
          html`<a class="time-by" href=${linkTo.memory(each.superseded_by)}
            >${text.superseded}${each.ended_recorded && ` (${text.endLearnt(shown(each.ended_recorded))})`}</a
          >`
        }
      </p>
    </div>
    <${Spans} each=${each} at=${at} known=${known} from=${from} to=${to} />
  </li>`;
}

/** Two bars over the window: when it was true, and since when it was known; the clocks as lines. */
function Spans({ each, at, known, from, to }: Omit<RowProps, "moment">) {
  const width = 200;
  const x = (moment: number) => Math.min(width, Math.max(0, ((moment - from) / (to - from || 1)) * width));
  const start = Date.parse(each.true_from);
  const end = each.true_to ? Date.parse(each.true_to) : Number.POSITIVE_INFINITY;
  const learnt = Date.parse(each.recorded);
  const ended = each.ended_recorded ? Date.parse(each.ended_recorded) : Number.POSITIVE_INFINITY;
  const bar = (a: number, b: number, y: number, name: string) =>
    b > from && a < to && html`<rect class=${name} x=${x(a)} y=${y} width=${Math.max(2, x(b) - x(a))} height="6" rx="3" />`;
  return html`<svg class="time-spans" viewBox="0 0 ${width} 24" preserveAspectRatio="none" aria-hidden="true">
    <line class="track" x2=${width} y1="6" y2="6" /><line class="track" x2=${width} y1="17" y2="17" />
    ${bar(start, end, 3, "truth")} ${bar(learnt, ended, 14, "knowledge")}
    <line class="time-mark" x1=${x(at)} x2=${x(at)} y1="0" y2="12" />
    <line class="time-mark known" x1=${x(known)} x2=${x(known)} y1="12" y2="24" />
  </svg>`;
}
