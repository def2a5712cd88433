import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileFailure } from "../../system/file-failure.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import type { Recording } from "./read-recording.ts";

export interface SaveTestOptions {
  path: string;
  folder: string;
  recording: Recording;
}

/** A folder that is a test: the recording, what the run printed, and a script that says whether it still does. */
export function saveTest(context: RunContext, { path, folder, recording }: SaveTestOptions): number {
  const place = resolve(context.cwd, folder);
  try {
    mkdirSync(place, { recursive: false, mode: 0o755 });
    copyFileSync(resolve(context.cwd, path), join(place, "recording.jsonl"));
    writeFileSync(join(place, "expected-output.txt"), printedIn(recording));
    writeFileSync(join(place, "check.sh"), script(relative(place, context.cwd) || "."), { mode: 0o755 });
  } catch (error) {
    context.note(`--save-test: ${fileFailure(place, error, "created").message} Name a new folder.`);
    return EXIT.usage;
  }
  print(`${join(folder, "check.sh")} says whether Ralph still does the same.\n`);
  return EXIT.done;
}

/** The recorded run saw the project from the folder it ran in, so it is checked from there. */
function script(project: string): string {
  const quoted = `'${project.replaceAll("'", `'\\''`)}'`;
  return `#!/bin/sh\ntest=$(cd "$(dirname "$0")" && pwd) && cd "$test"/${quoted} && exec \${RALPH:-ralph} replay "$test/recording.jsonl" --check\n`;
}

function printedIn(recording: Recording): string {
  const texts: string[] = [];
  for (let index = 0; index < recording.length; index++) {
    const entry = recording.entry(index);
    if (entry.type === "wrote") texts.push(entry.text);
  }
  return texts.join("");
}
