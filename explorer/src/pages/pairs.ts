/** Open pairs: of two memories the later may change the earlier. One key settles one pair. */

import {
  Busy, Empty, Heading, type Loaded, type Memory, MemoryCard, ask, html, mayWrite, say, texts, useKeys, useLoad, useRef,
  useState,
} from "../frame.ts";

interface Pair {
  new: Memory;
  old: Memory;
  score: number;
  reason: string;
}

type Verdict = "supersedes" | "corrects" | "same" | "both";

const MOST = 200;
const said = texts.pairs;
const KEYS: readonly (readonly [string, Verdict])[] = [
  ["1", "supersedes"],
  ["2", "corrects"],
  ["3", "same"],
  ["4", "both"],
];
const LATER = "0";
const UNDO = "z";

export function Page() {
  const found = useLoad<Loaded<Pair>>(() => ask("GET", "/unsettled", { query: { limit: MOST } }));
  const [settled, setSettled] = useState(0);
  const [put, setPut] = useState<string[]>([]);
  // Memories that a verdict took out of use: their other pairs are no longer open.
  const [gone, setGone] = useState<string[]>([]);
  const last = useRef<Pair | null>(null);
  const waiting = (found.value?.results ?? []).filter(
    (each) => !put.includes(nameOf(each)) && !gone.includes(each.new.id) && !gone.includes(each.old.id),
  );
  const pair = waiting[0];

  async function settle(verdict: Verdict) {
    if (!pair) return;
    const now = pair;
    setPut([...put, nameOf(now)]);
    const done = await say.trying(() =>
      ask("POST", "/settle", { body: { new: now.new.id, old: now.old.id, verdict } }),
    );
    if (!done) {
      setPut((names) => names.filter((each) => each !== nameOf(now)));
      return;
    }
    last.current = now;
    if (verdict !== "both") setGone((ids) => [...ids, now.old.id]);
    setSettled((count) => count + 1);
    say.done(said.settledAs[verdict], undo);
  }

  async function undo() {
    const before = last.current;
    if (!before) return;
    last.current = null;
    await ask("POST", "/settle", { body: { new: before.new.id, old: before.old.id, verdict: "open" } });
    setSettled((count) => Math.max(0, count - 1));
    setPut((names) => names.filter((each) => each !== nameOf(before)));
    setGone((ids) => ids.filter((each) => each !== before.old.id));
    found.reload();
  }

  function later() {
    if (pair) setPut([...put, nameOf(pair)]);
  }

  const may = mayWrite.value;
  useKeys({
    ...Object.fromEntries(KEYS.map(([name, verdict]) => [name, () => may && settle(verdict)])),
    [LATER]: later,
    [UNDO]: () => last.current && say.trying(undo),
  });

  return html`<section aria-labelledby="pairs-heading">
    <${Heading} id="pairs-heading" text=${said.heading} about=${said.about} />
    <${Busy} of=${found} />
    ${found.value && !found.value.results.length && html`<${Empty} text=${said.empty} hint=${said.emptyHint} />`}
    ${found.value && found.value.results.length > 0 && !pair &&
    html`<${Empty} text=${said.finished(settled)} hint=${said.finishedHint}>
      <button onClick=${() => { setPut([]); setGone([]); found.reload(); }}>${said.again}</button>
    <//>`}
    ${pair && !may && html`<p class="quiet">${said.needsWrite}</p>`}
    ${pair &&
    html`<p role="status" class="quiet">${said.progress(waiting.length, settled)}</p>
      <div class="pair">
        <${MemoryCard} memory=${pair.old} label=${said.earlier} level=${2} />
        <${MemoryCard} memory=${pair.new} label=${said.later} level=${2} />
      </div>
      <p class="quiet">${said.because(pair.reason, pair.score)}</p>
      <div class="verdicts" role="group" aria-label=${said.verdicts}>
        ${KEYS.map(
          ([name, verdict]) => html`<button key=${name} class="verdict" disabled=${!may} onClick=${() => settle(verdict)}>
            <kbd>${name}</kbd> <span><strong>${said.verdict[verdict]}</strong>
            <span class="quiet">${said.meaning[verdict]}</span></span>
          </button>`,
        )}
        <button class="verdict" onClick=${later}>
          <kbd>${LATER}</kbd> <span><strong>${said.notNow}</strong>
          <span class="quiet">${said.notNowMeaning}</span></span>
        </button>
      </div>
      <p class="quiet">${said.undoHint} <kbd>${UNDO}</kbd></p>`}
  </section>`;
}

function nameOf(pair: Pair): string {
  return `${pair.new.id} ${pair.old.id}`;
}
