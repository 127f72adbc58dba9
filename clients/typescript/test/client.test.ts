import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import {
  Combray,
  ConflictError,
  ConnectionError,
  InvalidInputError,
  NotFoundError,
  StaleVersionError,
  TimeoutError,
  type MemoryEvent,
  type Options,
} from "combray";

import { Server } from "./server.js";

const server = new Server();
before(async () => void (await server.start()));
after(() => server.remove());

let spaces = 0;
/** A client of a namespace that no other test uses. */
const client = (more: Partial<Options> = {}): Combray =>
  new Combray({ url: server.url, namespace: `test-${spaces++}`, ...more });

test("what is remembered is recalled", async () => {
  const memory = client();
  const stored = await memory.remember("Ana owns the billing service.", { category: "fact", tags: ["team"] });
  assert.equal(stored.action, "added");
  const answer = await memory.recall("Who owns billing?", { limit: 3 });
  assert.equal(answer.hits[0]?.memory.id, stored.id);
  assert.deepEqual(answer.hits[0]?.memory.tags, ["team"]);
  assert.ok(answer.confidence > 0);
  const context = await memory.context("Who owns billing?", { budget: 200 });
  assert.match(context.text, /Ana owns the billing service/);
  const thought = await memory.think("Who owns billing?");
  assert.ok(thought.citations.length > 0);
});

test("a namespace sees its own memories only, also with a name that a header cannot hold", async () => {
  const mine = client({ namespace: "Zoë" });
  await mine.remember("Zoë's secret is under the mat.");
  assert.equal((await client().recall("secret")).hits.length, 0);
  assert.equal((await client({ namespace: "Zoë" }).recall("secret")).hits.length, 1);
});

test("a list is fetched page by page", async () => {
  const memory = client();
  const texts = Array.from({ length: 7 }, (_, at) => `Note number ${at} is about topic ${at * 31}.`);
  const stored = await memory.rememberMany(texts.map((content, at) => (at % 2 ? content : { content, importance: 4 })));
  assert.equal(stored.length, 7);
  const pages: number[] = [];
  for await (const page of memory.list({ limit: 3 }).pages()) pages.push(page.memories.length);
  assert.deepEqual(pages, [3, 3, 1]);
  const found: string[] = [];
  for await (const each of memory.list({ limit: 2, filter: { importance: 4 } })) found.push(each.content);
  assert.deepEqual(found.sort(), texts.filter((_, at) => at % 2 === 0));
});

test("an update with an old version changes nothing", async () => {
  const memory = client();
  const { id } = await memory.remember("The office closes at six.");
  const found = await memory.get(id);
  const changed = await memory.update(id, { importance: 5 }, { ifVersion: found.version });
  assert.equal(changed.version, found.version + 1);
  await assert.rejects(memory.update(id, { importance: 1 }, { ifVersion: found.version }), (error) => {
    assert.ok(error instanceof StaleVersionError);
    assert.equal(error.status, 412);
    assert.match(error.message, /Nothing was changed/);
    return true;
  });
  assert.equal((await memory.get(id)).importance, 5);
});

test("forgotten memories come back, erased ones do not", async () => {
  const memory = client();
  const { id } = await memory.remember("The cellar key hangs behind the door.");
  await memory.forget(id);
  assert.equal((await memory.recall("cellar key")).hits.length, 0);
  await memory.restore([id]);
  assert.equal((await memory.recall("cellar key")).hits.length, 1);
  await memory.erase(id);
  await assert.rejects(memory.get(id), NotFoundError);
});

test("a conversation keeps its turns in order", async () => {
  const talk = client().conversation("monday 1 ü");
  await talk.add("Where do we meet?", { author: "user" });
  await talk.addMany([{ content: "At the harbour.", author: "assistant" }, "Good."]);
  assert.deepEqual(
    (await talk.turns()).map((each) => each.content),
    ["Where do we meet?", "At the harbour.", "Good."],
  );
});

test("an error has the server's sentence and the argument", async () => {
  await assert.rejects(client().recall("billing", { limit: 0 }), (error) => {
    assert.ok(error instanceof InvalidInputError);
    assert.equal(error.argument, "limit");
    assert.equal(error.message, "limit: must be between 1 and 1000, got 0.");
    return true;
  });
  await assert.rejects(client().get(""), /memory_id must not be empty/);
});

test("other operations are called by name", async () => {
  const memory = client();
  const { id } = await memory.remember("Kafka keeps messages for seven days.");
  const { results } = await memory.call("history", { path: { memory_id: id } });
  assert.ok(Array.isArray(results));
  const lines = await memory.call("export");
  assert.match(lines, /seven days/);
});

test("a write whose answer is lost is carried out once", async () => {
  let lost = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (lost++ > 0) return response;
    await response.text();
    throw new TypeError("the connection broke");
  };
  const memory = client({ fetch: losing });
  const stored = await memory.remember("The invoice number is 4711.");
  assert.equal(stored.action, "added");
  let total = 0;
  for await (const page of memory.list().pages()) total = page.total;
  assert.equal(total, 1);
  assert.ok(lost >= 2);
});

test("an idempotency key of another request is refused", async () => {
  const memory = client();
  await memory.remember("One.", {}, { idempotencyKey: "k1" });
  await assert.rejects(memory.remember("Two.", {}, { idempotencyKey: "k1" }), ConflictError);
});

test("an answer that says when to ask again is followed", async () => {
  let asked = 0;
  const busy: typeof fetch = async (input, init) =>
    asked++ ? fetch(input, init) : new Response("{}", { status: 503, headers: { "Retry-After": "0" } });
  assert.equal((await client({ fetch: busy }).recall("anything")).hits.length, 0);
  assert.equal(asked, 2);
});

test("a call ends at its signal and at its time limit", async () => {
  const never: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const reason = new Error("the user left");
  const leaving = new AbortController();
  const call = client({ fetch: never }).recall("x", {}, { signal: leaving.signal });
  leaving.abort(reason);
  await assert.rejects(call, reason);
  await assert.rejects(client({ fetch: never }).recall("x", {}, { timeout: 5 }), TimeoutError);
});

test("a client without an address names what is missing", () => {
  assert.throws(() => new Combray({ url: process.env["COMBRAY_NOWHERE"] } as unknown as Options), /^CombrayError: url is missing\. /);
});

test("without a server the error says so", async () => {
  const nobody = new Combray({ url: "http://127.0.0.1:9", retries: 0 });
  await assert.rejects(nobody.recall("x"), ConnectionError);
});

test("events go on after a restart of the server", async () => {
  const other = await new Server().start();
  try {
    const memory = new Combray({ url: other.url, retries: 50 });
    const seen: MemoryEvent[] = [];
    const first = await memory.remember("Before the restart.");
    const leaving = new AbortController();
    for await (const event of memory.events({ after: "0", signal: leaving.signal })) {
      seen.push(event);
      if (seen.length === 1) {
        await other.stop();
        await other.start();
        await memory.remember("After it.");
      } else {
        leaving.abort();
      }
    }
    assert.deepEqual(seen.map((each) => each.operation), ["remember", "remember"]);
    assert.equal(seen[0]?.memory_id, first.id);
    assert.ok(Number(seen[1]?.id) > Number(seen[0]?.id));
  } finally {
    await other.remove();
  }
});

test("the examples of the README print what it says", () => {
  const page = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
  const expected = [...page.matchAll(/^```text\n(.*?)^```$/gms)].map((block) => block[1]);
  assert.equal(expected.length, 2);
  for (const [place, printed] of expected.entries()) {
    const example = fileURLToPath(new URL(`../build/example${place + 1}.js`, import.meta.url));
    const done = spawnSync(process.execPath, [example], {
      env: { ...process.env, COMBRAY_URL: server.url },
      encoding: "utf8",
    });
    assert.equal(done.stdout, printed, done.stderr);
  }
});
