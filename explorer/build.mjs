/** Builds the explorer into src/combray/explorer, or into the folder that is named. The same input gives the same bytes. */

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = resolve(process.argv[2] ?? join(HERE, "../src/combray/explorer"));

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const { metafile } = await build({
  absWorkingDir: HERE,
  entryPoints: { app: "src/main.ts", style: "src/app.css" },
  outdir: OUT,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  charset: "utf8",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  metafile: true,
  // The same relative names on every machine: hashes depend on them.
  preserveSymlinks: true,
});

const names = (await readdir(OUT)).sort();
const built = (start, end) => names.find((each) => each.startsWith(start) && each.endsWith(end));
const entry = Object.entries(metafile.outputs).find(([, each]) => each.entryPoint === "src/main.ts");
const first = entry[1].imports
  .filter((each) => each.kind === "import-statement")
  .map((each) => each.path.split("/").at(-1));
const page = await readFile(join(HERE, "src/index.html"), "utf8");
await writeFile(
  join(OUT, "index.html"),
  page
    .replace("{style}", built("style-", ".css"))
    .replace("{app}", entry[0].split("/").at(-1))
    .replace(
      "{first}",
      first
        .sort()
        .map((each) => `<link rel="modulepreload" href="explorer/${each}">`)
        .join("\n"),
    ),
);
await copyFile(join(HERE, "src/icon.svg"), join(OUT, "icon.svg"));
await writeFile(join(OUT, "licences.txt"), await licences(Object.keys(metafile.inputs)));

const sizes = await Promise.all(
  (await readdir(OUT))
    .sort()
    .map(async (each) => [each, gzipSync(await readFile(join(OUT, each)), { level: 9 }).length]),
);
for (const [name, size] of sizes) console.log(`${(size / 1000).toFixed(1).padStart(7)} kB  ${name}`);
console.log(
  `${(sizes.reduce((all, [, size]) => all + size, 0) / 1000).toFixed(1).padStart(7)} kB  compressed in all`,
);

/** The licences of the packages that are in the built files. */
async function licences(inputs) {
  const packages = new Set();
  for (const each of inputs) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(each);
    if (found) packages.add(found[1]);
  }
  const parts = [];
  for (const name of [...packages].sort()) {
    const folder = join(HERE, "node_modules", name);
    const { license, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((each) => /^licen[sc]e/i.test(each));
    const text = (await readFile(join(folder, file), "utf8")).replaceAll("\r\n", "\n").trim();
    parts.push(`${name} ${version} (${license})\n\n${text}\n`);
  }
  return `Libraries in the built files of the explorer, and their licences.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}
