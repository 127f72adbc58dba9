/** Terms of a question marked in a text, and the part of a long text that holds them. */

import { html } from "htm/preact";
import type { ComponentChildren } from "preact";

const WORD = /[\p{L}\p{N}]+/gu;
const ROOT = 4;

function plain(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether a word of a question is worth marking: short words of small Latin letters are in every text. */
function marks(word: string): boolean {
  return word.length > 1 && (word.length >= ROOT || !/^[a-z]+$/.test(word));
}

/** Return the words of a question, for `marked`. */
export function terms(query: string): string[] {
  return [...new Set((query.match(WORD) ?? []).filter(marks).map(plain))];
}

/** Whether two words are the same but for their ends: "moved" and "move". It marks, and finds nothing. */
function alike(word: string, term: string): boolean {
  if (word === term) return true;
  const shared = Math.max(ROOT, Math.min(word.length, term.length) - 2);
  return (
    word.length >= ROOT &&
    term.length >= ROOT &&
    word.slice(0, shared) === term.slice(0, shared) &&
    Math.abs(word.length - term.length) < 4
  );
}

/** Return at most `most` characters around the first term, whole characters only. */
export function excerpt(text: string, of: string[], most = 420): string {
  if (text.length <= most) return text;
  let start = 0;
  for (const each of text.slice(0, 20_000).matchAll(WORD)) {
    if (of.some((term) => alike(plain(each[0]), term))) {
      start = Math.max(0, each.index - Math.floor(most / 4));
      break;
    }
  }
  const segments = [...text.slice(start, start + most * 2)].slice(0, most).join("");
  return `${start ? "… " : ""}${segments}${start + segments.length < text.length ? " …" : ""}`;
}

/** Return a text with its terms marked, as text nodes and `mark` elements. */
export function marked(text: string, of: string[]): ComponentChildren {
  if (!of.length) return text;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const each of text.matchAll(WORD)) {
    if (!of.some((term) => alike(plain(each[0]), term))) continue;
    if (each.index > end) parts.push(text.slice(end, each.index));
    end = each.index + each[0].length;
    parts.push(html`<mark>${each[0]}</mark>`);
  }
  parts.push(text.slice(end));
  return parts;
}
