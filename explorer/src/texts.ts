/** Every English text of the explorer. Translate this file to translate the explorer. */

const number = (count: number) => count.toLocaleString("en");
export const several = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

export const pages: Record<string, string> = {
  search: "Search",
  memory: "Memory",
  graph: "Graph",
  time: "Time",
  people: "People and topics",
  pairs: "Open pairs",
  quarantine: "Quarantine",
  runs: "Consolidation",
  audit: "Audit",
  usage: "Usage",
  files: "Files in",
};

export const frame = {
  product: "Combray",
  skip: "Skip to content",
  navigation: "Pages",
  groups: { look: "Look", care: "Look after", add: "Add" },
  more: "More",
  namespace: "Namespace",
  openNamespace: "Open",
  openMemory: "Open",
  theme: { system: "Colours of the system", light: "Light", dark: "Dark" },
  themeNext: (now: string) => `Colours: ${now}. Change`,
  keyboard: "Keyboard",
  close: "Close",
  undo: "Undo",
  loading: "Loading …",
  again: "Try again",
  notFound: "There is no such page.",
  notFoundHint: "Choose one on the left, or press ? for the keys.",
  notBuilt: "This page is not there yet.",
  failed: "This page could not be loaded.",
  role: { read: "You may read.", write: "You may read and change.", admin: "You may do everything." },
  roleShort: { read: "reads only", write: "reads and writes", admin: "full rights" },
  needs: {
    write: "Changing memories needs a key with the role write.",
    admin: "This needs a key with the role admin.",
  },
  leave: "Forget the key",
  unreachable: "The server does not answer.",
  unreachableHint: "Start it again, then try once more:",
};

export const door = {
  heading: "A key is needed",
  about: "This server lets in whoever has a key. The key stays in this tab and is sent to this server only.",
  label: "Key",
  enter: "Open",
  wrong: "The server does not accept this key.",
  make: "Make a key on the server's machine:",
  command: "combray keys create my-browser --role admin --all",
  explore: "Or look at a store on your own machine without a key:",
  exploreCommand: "combray explore",
};

export const help = {
  heading: "Keyboard",
  everywhere: "Everywhere",
  search: "Search",
  help: "Show these keys",
  next: "Next in a list",
  previous: "Previous in a list",
  open: "Open what has the focus",
  back: "Close, or leave a field",
  pages: "Go to a page",
};

export const memoryTexts = {
  kinds: { episode: "turn", fact: "fact", insight: "insight", chunk: "document", summary: "summary" } as Record<string, string>,
  statuses: {
    active: "active",
    pending_embed: "waits for its vector",
    superseded: "superseded",
    merged: "merged",
    deprecated: "deprecated",
    forgotten: "forgotten",
  } as Record<string, string>,
  trusts: { owner: "owner", agent: "agent", untrusted: "untrusted", quarantined: "quarantined" } as Record<string, string>,
  you: "you",
  utc: (moment: string) => `${moment} UTC`,
};

export const erase = {
  heading: (count: number) => `Erase ${several(count, "memory", "memories")}`,
  about: "Erasing destroys the text, its versions, its edges and its vectors. It cannot be undone.",
  looking: "Looking for what would be erased …",
  these: (count: number) => `${several(count, "memory", "memories")} would be erased:`,
  derived: (count: number) => `With them ${several(count, "memory", "memories")} that were made from them.`,
  keepsQuotes: (count: number) => `${several(count, "memory", "memories")} would stay that name them as evidence or quote them.`,
  files: "They are parts of these files, which stay where they are:",
  type: (count: number) => `Type ${count} to confirm`,
  confirm: "Erase for ever",
  cancel: "Cancel",
  done: (count: number) => `${several(count, "memory", "memories")} erased.`,
};

const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)} %`);

function bytes(count: number | null): string {
  if (count === null) return "not known";
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let size = count;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return `${unit && size < 100 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export const people = {
  heading: "People and topics",
  about: "Names that memories mention. A question with one name of an entity finds memories with another.",
  find: "Find a name",
  empty: "No names yet.",
  emptyHint: "Names are found in the texts that you remember. Remember a sentence about somebody first.",
  count: (shown: number, all: number) =>
    shown === all ? several(all, "name") : `${number(shown)} of ${several(all, "name")}`,
  memories: (count: number) => several(count, "memory", "memories"),
  learned: "learned",
  splitOf: (alias: string, name: string) => `Split ${alias} off ${name}`,
  change: "Add or merge",
  changeOf: (name: string) => `Add a name to ${name}, or merge another into it`,
  otherName: "Another name, or a name from the list to merge",
  add: "Add name",
  merge: "Merge",
  joined: (other: string, name: string) => `${other} is now another name of ${name}.`,
  parted: (alias: string, name: string) => `${alias} is no longer a name of ${name}.`,
};

export const pairs = {
  heading: "Open pairs",
  about: "The later memory may change the earlier one. Settle each pair with one key.",
  empty: "No pair is open.",
  emptyHint: "A pair appears when a new text may change what an earlier one says. Remember a change first.",
  finished: (count: number) => `Done: ${several(count, "pair")} settled.`,
  finishedHint: "Pairs that you put off come back.",
  again: "Look again",
  progress: (left: number, done: number) => `${several(left, "pair")} open, ${number(done)} settled`,
  earlier: "Earlier",
  later: "Later",
  because: (reason: string, score: number) => `Why: ${reason} (probability ${percent(score)})`,
  verdicts: "Which of the two holds?",
  verdict: { supersedes: "Later replaces", corrects: "Later corrects", same: "Same statement", both: "Both hold" },
  meaning: {
    supersedes: "The earlier was true and changed.",
    corrects: "The earlier was never true.",
    same: "The earlier is merged into the later.",
    both: "You are not asked again.",
  },
  notNow: "Not now",
  notNowMeaning: "Show the next pair.",
  settledAs: {
    supersedes: "The earlier memory is superseded.",
    corrects: "The earlier memory is superseded; it was never true.",
    same: "The earlier memory is merged into the later one.",
    both: "Both memories hold.",
    open: "The pair is open again.",
  },
  needsWrite: "The key may read only. A key with the right to write settles pairs.",
  undoHint: "Every verdict can be undone. Undo the last one:",
};

export const quarantine = {
  heading: "Quarantine",
  about: "Texts that look like prompt injection. They are never recalled until you release them.",
  empty: "The quarantine is empty.",
  emptyHint: "The guard puts third-party texts here that give instructions to a model. There is nothing to do.",
  count: (count: number) => several(count, "memory", "memories"),
  claimed: (trust: string) => `Came in as ${trust}`,
  reasons: "Reasons",
  choose: "Select",
  chooseAll: "Select all",
  chooseNone: "Select none",
  as: "Release as",
  trust: { untrusted: "untrusted", agent: "agent", owner: "owner" },
  release: "Release",
  released: "Released. It is recalled from now on.",
  erase: "Erase…",
  needsAdmin: "The quarantine needs an admin key.",
  needsAdminHint: "Ask the owner of the store for one: combray keys create NAME --role admin.",
  eraseChosen: (count: number) => (count ? `Erase ${number(count)} selected…` : "Erase selected…"),
};

export const runs = {
  heading: "Consolidation",
  about: "A run updates confidence, merges paraphrases and lets corrections supersede old facts. Nothing is deleted, and every run can be undone.",
  needsAdmin: "Runs are planned, applied and undone with an admin key.",
  next: "Next run",
  nextAbout: "The plan changes nothing. The run applies it.",
  plan: "Show plan",
  run: (count: number) => `Apply ${several(count, "change")}`,
  planned: (count: number) => (count ? `The run would make ${several(count, "change")}.` : "There is nothing to do."),
  ran: (counts: string) => `Run finished: ${counts || "nothing to do"}.`,
  earlier: "Earlier runs",
  empty: "No run yet.",
  emptyHint: "Show the plan first. On a server, combray serve --consolidate-every 24h runs it every night.",
  nothing: "Nothing to do.",
  more: (count: number) => `and ${number(count)} more`,
  busy: "Working…",
  state: { running: "running", done: "done", undone: "undone" },
  undo: "Undo",
  undoOf: (id: string) => `Undo run ${id.slice(0, 13)}`,
  undone: (count: number) => `Undone: ${several(count, "memory", "memories")} restored.`,
  refused: (count: number) => `${several(count, "memory was", "memories were")} changed since and left as they are:`,
  changes: "What it changed",
  operation: (name: string) => name.replaceAll("_", " "),
  counted: (name: string, count: number) => `${number(count)} × ${name}`,
};

export const audit = {
  heading: "Audit",
  about: "Who read and wrote what, in every namespace. Each entry has the hash of the one before it. The log contains no text of a memory.",
  verify: "Verify",
  verifyAbout: "Checks every line, their order, and the end of the log.",
  verifying: "Checking every line…",
  sound: (count: number) => `The log is whole: ${several(count, "entry", "entries")} checked.`,
  broken: (count: number) => `The log was changed: ${several(count, "finding")}.`,
  deviation: (line: number, kind: string) => `Line ${line}, ${kind}:`,
  operation: "Operation",
  operations: [
    "remember", "recall", "update", "forget", "restore", "erase", "settle", "release", "consolidate", "undo",
    "import", "export",
  ],
  every: "every operation",
  since: "Since",
  empty: "No entry matches.",
  emptyHint: "Choose every operation, or an earlier day.",
  number: "No.",
  when: "When",
  who: "Who",
  namespace: "Namespace",
  result: "Result",
  what: "What",
  memory: (id: string) => `Memory ${id}`,
  more: (count: number) => `and ${number(count)} more`,
  older: "Show older entries",
};

export const usage = {
  heading: "Usage",
  about: "What is stored, and how well it served.",
  number,
  bytes,
  memories: "Live memories",
  edges: (count: number) => several(count, "edge"),
  size: "Size of the store",
  preset: "Preset",
  tier: "Service tier",
  vectors: "Without a vector",
  vectorsNote: "wait for the embedder",
  served: "How well it served",
  span: "Days",
  lastDays: (count: number) => (count === 365 ? "last year" : `last ${count} days`),
  nothingYet: "No question and no text in these days. Ask something on the search page first.",
  asked: "Questions",
  answered: (share: number | null) => (share === null ? "" : `${percent(share)} found something`),
  written: "Texts written",
  duplicates: (share: number | null) => (share === null ? "" : `${percent(share)} were duplicates`),
  streamed: "Given in contexts",
  used: (share: number | null) => (share === null ? "" : `${percent(share)} used afterwards`),
  cost: "Cost of models",
  noPrice: "no price set",
  money: (sum: number) => sum.toLocaleString("en", { maximumFractionDigits: 4 }),
  askedBars: "Questions a day, without an answer in red",
  writtenBars: "Texts written a day",
  atMost: (most: number) => `at most ${number(most)}`,
  barsOf: (label: string, most: number) => `${label}, at most ${number(most)}. The table below has the numbers.`,
  dayIs: (day: string, count: number) => `${day}: ${number(count)}`,
  asTable: "The same as a table",
  day: "Day",
  empty: "Without an answer",
  models: "Models of this process",
  noModels: "No model is configured.",
  model: "Model",
  kind: "Kind",
  calls: "Calls",
  failures: "Failures",
  tokens: "Tokens",
};

export const files = {
  heading: "Files in",
  about: "Nothing is stored before you have seen the preview. A file that was imported before adds only what is new.",
  dropHere: "Drop files here",
  forms: "Markdown and text, transcripts (Claude Code, Codex, Cursor, Gemini CLI, ChatGPT, Claude), exports and JSON lines, up to 7 MB each.",
  choose: "Choose files",
  reading: "Reading…",
  unreadable: "The file cannot be read. Choose it again.",
  tooLarge: (size: number) => `The file has ${bytes(size)}, more than 7 MB. Import it with combray ingest or combray import.`,
  kind: { notes: "notes", turns: "transcript", memories: "memories" },
  size: bytes,
  would: (count: number, known: number) =>
    count ? `Would store ${several(count, "memory", "memories")}.` : known ? "Has nothing new." : "Has nothing to store.",
  imported: (count: number) => `Imported ${several(count, "memory", "memories")}.`,
  known: (count: number) => `${several(count, "text is", "texts are")} stored already.`,
  quarantined: (count: number) => `${several(count, "text is", "texts are")} in quarantine.`,
  between: "From",
  problems: (count: number) => `${several(count, "line")} cannot be imported:`,
  show: (shown: number, all: number) =>
    shown < all ? `Show the first ${number(shown)} texts` : `Show ${shown === 1 ? "the text" : `all ${number(shown)} texts`}`,
  trusted: "These are my own words.",
  trustedAbout: "Otherwise they are marked untrusted wherever they are shown.",
  import: (count: number) => `Import ${several(count, "memory", "memories")}`,
  undo: "Undo import",
  undone: "Undone: the imported memories are hidden. They can be restored.",
  noUndo: "This import has no undo. Hide single memories on their pages.",
  remove: "Remove from the list",
  needsAdmin: "Files are imported with an admin key.",
  needsAdminHint: "Ask the owner of the store for one: combray keys create NAME --role admin.",
  removeOf: (name: string) => `Remove ${name} from the list`,
};
export { graph } from "./graph/texts.ts";
export { time } from "./time/texts.ts";
