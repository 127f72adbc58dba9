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

export { graph } from "./graph/texts.ts";
export { time } from "./time/texts.ts";
