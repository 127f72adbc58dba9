/** Times of memories, days, and what stood on a day. No DOM. Moments are milliseconds. */

import type { Dated, Timeline } from "../frame/api.ts";

export type { Dated, Timeline };

/** The days of a store in the zone of the viewer, counted from 0. */
export class Days {
  private readonly year: number;
  private readonly month: number;
  private readonly date: number;
  readonly count: number;

  constructor(first: number, last: number) {
    const day = new Date(first);
    [this.year, this.month, this.date] = [day.getFullYear(), day.getMonth(), day.getDate()];
    this.count = this.of(last) + 1;
  }

  /** The midnight that begins a day. */
  start(day: number): number {
    return new Date(this.year, this.month, this.date + day).getTime();
  }

  /** The last moment of a day: what happened in it is known at its end. */
  end(day: number): number {
    return this.start(day + 1) - 1;
  }

  /** The day of a moment. */
  of(moment: number): number {
    const day = new Date(moment);
    const from = Date.UTC(this.year, this.month, this.date);
    return Math.round((Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) - from) / 86_400_000);
  }
}

export type Standing = "stands" | "unknown" | "future" | "over" | "ended" | "believed";

/**
 * How a memory stood on the two clocks: at the moment `at`, by what was known at the moment `known`.
 *
 * "over": it lasted until then, as an event does. "ended": a later memory superseded it. "believed": it had ended,
 * but that was learnt later, so it was taken for true.
 */
export function standing(each: Dated, at: number, known: number): Standing {
  if (Date.parse(each.recorded) > known) return "unknown";
  if (Date.parse(each.true_from) > at) return "future";
  if (each.true_to === null || Date.parse(each.true_to) > at) return "stands";
  if (Date.parse(each.ended_recorded ?? each.recorded) > known) return "believed";
  return each.superseded_by ? "ended" : "over";
}

export interface Tick {
  at: number;
  /** A longer mark, with the unit above: the year above months, the month above days. */
  major: boolean;
  label: string;
}

const DAY = 86_400_000;
const STEPS: readonly (readonly [number, "day" | "month", number])[] = [
  [DAY, "day", 1],
  [2 * DAY, "day", 2],
  [7 * DAY, "day", 7],
  [30 * DAY, "month", 1],
  [91 * DAY, "month", 3],
  [182 * DAY, "month", 6],
  [365 * DAY, "month", 12],
];
const LONGEST = [1826 * DAY, "month", 60] as const;

/** Ticks at local midnights, at most `most` of them. */
export function ticks(from: number, to: number, most: number): Tick[] {
  const [, unit, step] = STEPS.find(([length]) => (to - from) / length <= most) ?? LONGEST;
  const first = new Date(from);
  const found: Tick[] = [];
  const short = new Intl.DateTimeFormat(undefined, unit === "day" ? { day: "numeric", month: "short" } : { month: "short" });
  const year = new Intl.DateTimeFormat(undefined, { year: "numeric" });
  const began =
    unit === "day" ? 0 : step >= 12 ? -first.getMonth() - 12 * (first.getFullYear() % (step / 12)) : -(first.getMonth() % step);
  for (let at = 0; found.length <= most + 2; at++) {
    const day =
      unit === "day"
        ? new Date(first.getFullYear(), first.getMonth(), first.getDate() + at * step)
        : new Date(first.getFullYear(), first.getMonth() + began + at * step, 1);
    const moment = day.getTime();
    if (moment > to) break;
    if (moment < from) continue;
    const major = unit === "month" && day.getMonth() === 0;
    found.push({ at: moment, major, label: major ? year.format(day) : short.format(day) });
  }
  return found;
}

/** The items of one list by day, in their order. */
export function byDay<T>(items: readonly T[], moment: (item: T) => string): { day: Date; items: T[] }[] {
  const found: { day: Date; items: T[] }[] = [];
  let last = "";
  for (const item of items) {
    const day = new Date(moment(item));
    const key = day.toDateString();
    if (key !== last) found.push({ day, items: [] });
    last = key;
    found.at(-1)?.items.push(item);
  }
  return found;
}
