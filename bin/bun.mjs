#!/usr/bin/env node
// Runs the Bun that came from npm as a prebuilt package, so that a machine needs only Node and npm and no
// install script. `node bin/bun.mjs ARGS…` is `bun ARGS…`.
import { spawn } from "node:child_process";
import { accessSync, chmodSync, constants } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ARCHITECTURES = { x64: "x64", arm64: "aarch64" };
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

export function bunPath() {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const candidates = ["", "-musl"].map((libc) => `@oven/bun-${process.platform}-${architecture}${libc}`);
  const require = createRequire(import.meta.url);
  for (const name of candidates) {
    try {
      return executable(require.resolve(`${name}/bin/bun`));
    } catch {
      // the next candidate may be the one npm chose for this machine
    }
  }
  throw new Error(
    `No Bun for ${process.platform}-${process.arch} in node_modules (looked for ${candidates.join(", ")}). Run "npm ci" with optional dependencies.`,
  );
}

export function runBun(args) {
  const child = spawn(bunPath(), args, { stdio: "inherit" });
  // The terminal already sends these to the whole group; this covers a kill aimed at the launcher alone.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`Bun could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

/** npm does not always keep the executable bit of a file inside a package. */
function executable(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    runBun(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
