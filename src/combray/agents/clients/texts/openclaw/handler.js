@@CALLING@@
export default async function handler(event) {
  const context = event.context ?? {};
  const input = {
    session_id: event.sessionKey ?? "",
    cwd: context.workspaceDir ?? process.cwd(),
    timestamp: new Date(event.timestamp ?? Date.now()).toISOString(),
    hook_event_name: `${event.type}:${event.action}`,
  };
  if (event.type === "agent" && event.action === "bootstrap") {
    const text = await run("session-start", { ...input, source: "startup" });
    if (text && Array.isArray(context.bootstrapFiles)) {
      context.bootstrapFiles.push({ name: "COMBRAY.md", path: "COMBRAY.md", content: text, virtual: true });
    }
  } else if (event.type === "message" && context.content) {
    const role = event.action === "sent" ? "assistant" : "user";
    void run("stop", { ...input, messages: [{ role, content: context.content, timestamp: input.timestamp }] });
  } else if (event.type === "session") {
    void run("pre-compact", input);
  } else if (event.type === "command") {
    void run("session-end", { ...input, reason: event.action });
  }
}
