/** Differences of two texts by words: the longest common subsequence. */

export type Piece = readonly [kind: "same" | "gone" | "new", text: string];

/** Beyond this many comparisons both texts are shown whole: a reader would find no difference faster. */
const MOST = 400_000;
const TOKEN = /\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;

export function diff(before: string, after: string): Piece[] {
  const a = before.match(TOKEN) ?? [];
  const b = after.match(TOKEN) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const head = a.slice(0, start).join("");
  const tail = a.slice(a.length - end).join("");
  const middle = compared(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return joined([["same", head], ...middle, ["same", tail]]);
}

function compared(a: string[], b: string[]): Piece[] {
  if (a.length * b.length > MOST)
    return [
      ["gone", a.join("")],
      ["new", b.join("")],
    ];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const found: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push(["same", a[i]!]);
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) found.push(["gone", a[i++]!]);
    else found.push(["new", b[j++]!]);
  }
  return [...found, ["gone", a.slice(i).join("")], ["new", b.slice(j).join("")]];
}

/** Join neighbours of one kind, and drop empty ones. */
function joined(pieces: Piece[]): Piece[] {
  const found: [Piece[0], string][] = [];
  for (const [kind, text] of pieces) {
    const last = found.at(-1);
    if (!text) continue;
    if (last?.[0] === kind) last[1] += text;
    else found.push([kind, text]);
  }
  return found;
}
