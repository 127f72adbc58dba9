// Writes the examples of README.md to build/example1.ts and so on, so that they are compiled and run.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const page = readFileSync(new URL("README.md", root), "utf8");
mkdirSync(new URL("build/", root), { recursive: true });
for (const [place, block] of [...page.matchAll(/^```ts\n(.*?)^```$/gms)].entries()) {
  writeFileSync(new URL(`build/example${place + 1}.ts`, root), block[1]);
}
