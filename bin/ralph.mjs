#!/usr/bin/env node
// Starts Ralph from source with the Bun that came from npm. `npm run build` makes the single file that needs no launcher.
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runBun } from "./bun.mjs";

try {
  runBun([fileURLToPath(new URL("../src/cli/main.ts", import.meta.url)), ...process.argv.slice(2)]);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
