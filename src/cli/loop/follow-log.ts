import { watch } from "node:fs";
import { iterationsFolder } from "../../loop/state/loop-folder.ts";
import { iterationsIn, logFiles, readPart } from "./log-files.ts";

/** Read in one go; what a busy agent prints beyond it meanwhile is left out, and the text says so. */
const MOST_AT_ONCE = 1024 * 1024;

const SECOND_LOOK_MS = 100;

/** How far a log was read. */
export interface LogPlace {
  iteration: number;
  file: string;
  end: number;
}

/** Hands on whole lines that are added to the log behind the place, and then those of the iterations after it. */
export function followLog(folder: string, from: LogPlace, onText: (text: string) => void): { stop(): void } {
  let { iteration: current, file, end: place } = from;
  let held = "";
  let decoder = new TextDecoder();

  const readOn = () => {
    const part = readPart(file, { start: place, most: MOST_AT_ONCE });
    if (part === undefined) return;
    place = part.end;
    const gap = part.leftOut > 0 ? `\n[… ${part.leftOut} bytes left out …]\n` : "";
    const text = held + gap + decoder.decode(part.bytes, { stream: true });
    const lineEnd = text.lastIndexOf("\n") + 1;
    held = text.slice(lineEnd);
    if (lineEnd > 0) onText(text.slice(0, lineEnd));
  };
  const startFile = (next: string, heading: string) => {
    if (held !== "") onText(`${held}\n`);
    if (heading !== "") onText(heading);
    file = next;
    place = 0;
    held = "";
    decoder = new TextDecoder();
    readOn();
  };
  const look = () => {
    readOn();
    const after = iterationsIn(folder).filter((number) => number > current);
    for (const number of after) {
      current = number;
      startFile(logFiles(folder, number)[0] ?? "", `--- iteration ${number} ---\n`);
    }
    // The end of a very long log goes on in other files.
    const newest = logFiles(folder, current).slice(1).at(-1);
    if (newest !== undefined && newest !== file) startFile(newest, "");
  };
  let later: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    look();
    // The runtime does not tell of changes that follow each other closely.
    later ??= setTimeout(() => {
      later = undefined;
      look();
    }, SECOND_LOOK_MS);
  };
  const watcher = watch(iterationsFolder(folder), onChange);
  watcher.on("error", () => undefined);
  onChange();
  return {
    stop() {
      watcher.close();
      clearTimeout(later);
      look();
      if (held !== "") onText(`${held}\n`);
    },
  };
}
