import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AuthenticationError, Combray, ForbiddenError } from "combray";

import { Server } from "./server.js";

const server = new Server();
let key = "";
before(async () => {
  await server.start();
  key = server.key("reader", "--role", "read", "--namespace", "team");
});
after(() => server.remove());

test("a key may do what its role and namespaces say", async () => {
  const { url } = server;
  const team = new Combray({ url, key, namespace: "team" });
  assert.equal((await team.recall("anything")).hits.length, 0);
  await assert.rejects(team.remember("A reader does not write."), ForbiddenError);
  await assert.rejects(new Combray({ url, key, namespace: "other" }).recall("anything"), ForbiddenError);
  await assert.rejects(new Combray({ url, namespace: "team" }).recall("anything"), AuthenticationError);
});
