// Compiles Ralph into one file, dist/ralph, with the ripgrep of this platform inside.
import type { BunPlugin } from "bun";
import { findRipgrep } from "../src/system/find-ripgrep.ts";

/** Without the package the compiled file searches with its own walk. */
const embeddedRipgrep: BunPlugin = {
  name: "embedded ripgrep",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]system[\\/]embedded-ripgrep\.ts$/ }, async () => ({
      loader: "ts",
      contents: await embeddingModule(),
    }));
  },
};

const built = await Bun.build({
  entrypoints: ["src/cli/main.ts"],
  // Ralph runs in folders somebody else wrote: their .env and bunfig.toml must not reach it.
  compile: { outfile: "dist/ralph", autoloadDotenv: false, autoloadBunfig: false },
  minify: true,
  bytecode: true,
  format: "esm",
  splitting: true,
  target: "bun",
  define: { BUILD_ID: JSON.stringify(crypto.randomUUID()) },
  plugins: [embeddedRipgrep],
});
for (const log of built.logs) console.error(String(log));
if (!built.success) process.exit(1);
console.log(`dist/ralph: ${(Bun.file("dist/ralph").size / 1e6).toFixed(1)} MB`);

async function embeddingModule(): Promise<string> {
  const program = await findRipgrep("");
  if (program === undefined) {
    console.error("No ripgrep package for this platform in node_modules: searches will be slower.");
    return `export const ripgrepPlace = { type: "none" };`;
  }
  const content = await Bun.file(program).bytes();
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  return `import path from ${JSON.stringify(program)} with { type: "file" };
export const ripgrepPlace = { type: "embedded", path, bytes: ${content.length}, sha256: "${sha256}" };`;
}
