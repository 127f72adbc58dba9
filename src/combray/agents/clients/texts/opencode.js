@@CALLING@@
const TOOLS = @@TOOLS@@;

function words(parts) {
  return (parts ?? [])
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n");
}

// What was added to a session stays in its place, so that a prompt cache survives.
const digests = new Map();

async function digest(session, cwd) {
  if (!digests.has(session)) {
    digests.set(session, run("session-start", { session_id: session, cwd, source: "startup" }));
  }
  return digests.get(session);
}

async function transcript(client, session) {
  try {
    const { data } = await client.session.messages({ path: { id: session } });
    return data
      .map(({ info, parts }) => ({ role: info.role, content: words(parts), timestamp: info.time?.created }))
      .filter((message) => message.content);
  } catch {
    return [];
  }
}

// opencode 1: an object of hooks.
async function server({ client, directory }) {
  return {
    "chat.message": async (input, output) => {
      const session = input.sessionID;
      const prompt = words(output.parts);
      if (!prompt) return;
      const text = await run("prompt", { session_id: session, cwd: directory, prompt });
      if (!text) return;
      output.parts.push({
        id: `prt_combray_${Date.now()}`,
        sessionID: session,
        messageID: output.message.id,
        type: "text",
        text,
        synthetic: true,
      });
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = input.sessionID ? await digest(input.sessionID, directory) : "";
      if (text) output.system.push(text);
    },
    "experimental.session.compacting": async (input) => {
      const messages = await transcript(client, input.sessionID);
      void run("pre-compact", { session_id: input.sessionID, cwd: directory, messages });
    },
    "tool.execute.after": async (input, output) => {
      if (!TOOLS) return;
      const result = { tool_name: input.tool, tool_input: input.args, tool_response: output.output };
      void run("tool", { session_id: input.sessionID, cwd: directory, ...result }, TOOLS);
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id;
      if (event.type === "session.idle") {
        const messages = await transcript(client, session);
        void run("stop", { session_id: session, cwd: directory, messages });
      } else if (event.type === "session.deleted") {
        digests.delete(session);
        void run("session-end", { session_id: session, cwd: directory, reason: "deleted" });
      }
    },
  };
}

// opencode 2: hooks are registered on the context.
async function setup(ctx) {
  const cwd = ctx.location?.directory ?? process.cwd();
  await ctx.session.hook("context", async (event) => {
    const text = await digest(event.sessionID, cwd);
    if (text) event.system.push({ type: "text", text });
  });
}

export default { id: "combray", server, setup };
