// Writes the example of README.md to build/example.ts, so that it is compiled and run.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const block = /^```ts\n(.*?)^```$/ms.exec(readFileSync(new URL("README.md", root), "utf8"));
mkdirSync(new URL("build/", root), { recursive: true });
writeFileSync(new URL("build/example.ts", root), block[1]);
