import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Combray } from "combray";
import { tools } from "combray/tools";

import { Server } from "./server.js";

const server = new Server();
before(async () => void (await server.start()));
after(() => server.remove());

test("the tools of the AI SDK store, find and hide, in the client's namespace only", async () => {
  const memory = new Combray({ url: server.url, namespace: "ana" });
  const { remember, recall, forget } = tools(memory, (schema) => schema);
  assert.deepEqual((remember.inputSchema as { required: string[] }).required, ["text"]);
  const said = await remember.execute({ text: "The billing service moved to PostgreSQL in May." });
  const [action, id] = said.split(": ");
  assert.equal(action, "added");
  assert.equal((await memory.get(id!)).trust, "agent");
  assert.match(await recall.execute({ query: "Which database does billing use?" }), /PostgreSQL/);
  const other = tools(new Combray({ url: server.url, namespace: "ben" }), (schema) => schema);
  assert.equal(await other.recall.execute({ query: "Which database does billing use?" }), "Nothing was found.");
  assert.equal(await forget.execute({ memory_id: id! }), `forgotten: ${id}`);
  assert.equal(await recall.execute({ query: "Which database does billing use?" }), "Nothing was found.");
});

test("an error is a text that a model can act on", async () => {
  const { remember, forget } = tools(new Combray({ url: server.url, namespace: "errors" }), (schema) => schema);
  assert.match(await remember.execute({ text: " " }), /^Not stored\. /);
  assert.match(await forget.execute({ memory_id: "00000000-0000-0000-0000-000000000000" }), /^Not forgotten\. /);
});
