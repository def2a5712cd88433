#!/usr/bin/env node
// Starts Ralph from source with the Bun that came from npm. `npm run build` makes the single file that needs no launcher.
import process from "node:process";
import { runBun } from "./bun.mjs";
import { sourceArguments } from "./source-arguments.mjs";

try {
  runBun([...sourceArguments(), ...process.argv.slice(2)]);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
