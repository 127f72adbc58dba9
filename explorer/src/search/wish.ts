/** What is asked: words, filters and presets, as the address has them. */

import { type Answer, type Listed, ask, to } from "../frame.ts";

export const LISTS = ["kind", "tag", "entity", "author", "trust"] as const;
export const DAYS = ["since", "until", "as_of"] as const;
export type ListName = (typeof LISTS)[number];
export type DayName = (typeof DAYS)[number];

export interface Wish {
  q: string;
  lists: Record<ListName, string[]>;
  days: Record<DayName, string>;
  /** Presets to compare; none: the server's. */
  presets: string[];
}

const FIELDS: Record<ListName, string> = {
  kind: "kind",
  tag: "tags",
  entity: "entities",
  author: "author",
  trust: "trust",
};
const HITS = 20;
const PAGE = 30;

export function read(query: URLSearchParams): Wish {
  return {
    q: query.get("q") ?? "",
    lists: Object.fromEntries(LISTS.map((each) => [each, query.getAll(each)])) as Wish["lists"],
    days: Object.fromEntries(DAYS.map((each) => [each, query.get(each) ?? ""])) as Wish["days"],
    presets: query.getAll("preset"),
  };
}

export function address(wish: Wish): string {
  return to("search", "", { q: wish.q, ...wish.lists, ...wish.days, preset: wish.presets });
}

export function filtered(wish: Wish): boolean {
  return LISTS.some((each) => wish.lists[each].length) || DAYS.some((each) => wish.days[each]);
}

/** Return the end of a day in the viewer's zone: a date without a time means the whole day. */
function moment(day: string, end: boolean): string | undefined {
  if (!day) return undefined;
  const at = new Date(`${day}T${end ? "23:59:59" : "00:00:00"}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Ask one preset. */
export function recall(wish: Wish, preset: string | undefined, signal: AbortSignal): Promise<Answer> {
  const { kind, tag, entity, author, trust } = wish.lists;
  const some = (values: string[]) => (values.length ? values : undefined);
  const body = {
    query: wish.q,
    limit: HITS,
    preset,
    kinds: some(kind),
    tags: some(tag),
    authors: some(author),
    trusts: some(trust),
    since: moment(wish.days.since, false),
    until: moment(wish.days.until, true),
    as_of: moment(wish.days.as_of, true),
    filter: entity.length ? { entities: { in: entity } } : undefined,
  };
  // Not /recall: what somebody types must change neither importance nor the counts of questions.
  return ask("POST", "/look", { body, signal });
}

/** List what passes the filters, newest first. */
export function list(wish: Wish, after: string | undefined, signal?: AbortSignal): Promise<Listed> {
  const filter: Record<string, unknown> = {};
  for (const each of LISTS) if (wish.lists[each].length) filter[FIELDS[each]] = { in: wish.lists[each] };
  const since = moment(wish.days.since, false);
  const until = moment(wish.days.until, true);
  if (since || until) filter["moment"] = { ...(since && { gte: since }), ...(until && { lte: until }) };
  const known = moment(wish.days.as_of, true);
  if (known) filter["recorded_at"] = { lte: known };
  const query = { limit: PAGE, after, filter: Object.keys(filter).length ? filter : undefined };
  return ask("GET", "/memories", { query, signal });
}
