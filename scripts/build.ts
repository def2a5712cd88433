// Compiles Ralph into one file, dist/ralph.
const built = await Bun.build({
  entrypoints: ["src/cli/main.ts"],
  compile: { outfile: "dist/ralph" },
  minify: true,
  bytecode: true,
  format: "esm",
  splitting: true,
  target: "bun",
  define: { BUILD_ID: JSON.stringify(crypto.randomUUID()) },
});
for (const log of built.logs) console.error(String(log));
if (!built.success) process.exit(1);
console.log(`dist/ralph: ${(Bun.file("dist/ralph").size / 1e6).toFixed(1)} MB`);

export {};
