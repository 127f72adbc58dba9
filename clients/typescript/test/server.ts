// A `combray serve` for a file of tests.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const python = process.env["COMBRAY_PYTHON"] ?? "python3";

export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), "combray-"));
  port = 0;
  #process: ChildProcess | undefined;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get #db(): string {
    return join(this.folder, "a.db");
  }

  get #environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("COMBRAY_"));
    return { ...Object.fromEntries(kept), HOME: this.folder, XDG_DATA_HOME: this.folder };
  }

  /** Start it, or start it again on the same port, and wait until it is ready. */
  async start(): Promise<this> {
    this.port ||= await freePort();
    const options = ["-m", "combray", "serve", "--db", this.#db, "--embedder", "none", "--port", String(this.port)];
    const started = spawn(python, options, { env: this.#environment, stdio: ["ignore", "ignore", "inherit"] });
    this.#process = started;
    for (;;) {
      if (started.exitCode !== null) throw new Error(`combray serve ended with ${started.exitCode}`);
      const response = await fetch(`${this.url}/ready`).catch(() => undefined);
      if (response?.ok) return this;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Make a key. */
  key(name: string, ...options: string[]): string {
    const command = ["-m", "combray", "keys", "create", name, ...options, "--db", this.#db];
    const done = spawnSync(python, command, { env: this.#environment, encoding: "utf8" });
    const found = /cmb_[\w-]+/.exec(done.stdout);
    if (found === null) throw new Error(`no key: ${done.stdout}${done.stderr}`);
    return found[0];
  }

  async stop(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGTERM");
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
