// combray:setup: written by `combray setup`, removed by `combray eject`
import { spawn } from "node:child_process";

const CALL = @@CALL@@;
const OPTIONS = @@OPTIONS@@;
const LIMIT_MS = 10000;

// Runs one hook. Its answer is text, or JSON with the text in it; a failure is an empty text.
function run(verb, input, more = []) {
  return new Promise((done) => {
    let said = "";
    try {
      const child = spawn(CALL[0], [...CALL.slice(1), verb, ...OPTIONS, ...more], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      // The option `timeout` of spawn keeps its timer, and so the agent, when the program is missing.
      const timer = setTimeout(() => child.kill(), LIMIT_MS);
      child.on("error", () => (clearTimeout(timer), done("")));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (part) => (said += part));
      child.on("close", () => (clearTimeout(timer), done(textOf(said))));
      child.stdin.end(JSON.stringify(input));
    } catch {
      done("");
    }
  });
}

function textOf(said) {
  try {
    const answer = JSON.parse(said);
    return answer.hookSpecificOutput?.additionalContext ?? answer.additional_context ?? "";
  } catch {
    return said.trim();
  }
}
