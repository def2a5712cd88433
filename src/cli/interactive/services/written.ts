import { mkdirSync, readFileSync } from "node:fs";
import { appendFile, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { asObject, asString } from "../../../protocol/json.ts";
import { sessionDirectory } from "../../../sessions/session-name.ts";
import { readTextFile } from "../../../system/text-file.ts";
import type { RunContext } from "../../run-context.ts";

// What a person wrote in this folder: the prompts that were sent, and the one that was not sent yet. Neither is needed for
// anything but comfort, so nobody is told when it cannot be kept.

export interface Written {
  loadHistory(): string[];
  storePrompt(text: string): void;
  loadDraft(): string;
  storeDraft(text: string): void;
  /** Everything is on disk. */
  settled(): Promise<void>;
}

const MOST_BYTES = 2_000_000;
const MOST_PROMPTS = 1000;
const LONGEST_PROMPT = 100_000;

export function openWritten({ paths, cwd, clock }: RunContext, isKept: boolean): Written {
  const name = basename(sessionDirectory(paths, cwd));
  const history = join(paths.data, "history", `${name}.jsonl`);
  const draft = join(paths.data, "drafts", `${name}.md`);
  let work: Promise<unknown> = Promise.resolve();
  let wanted = "";
  const inOrder = (next: () => Promise<unknown>) => {
    if (isKept) work = work.then(next).catch(() => undefined);
  };
  return {
    loadHistory: () => readHistory(history),
    storePrompt(text) {
      if (text.length > LONGEST_PROMPT) return;
      const line = `${JSON.stringify({ at: new Date(clock.now()).toISOString(), text })}\n`;
      inOrder(async () => {
        if (await holdsSecret(text)) return;
        mkdirSync(dirname(history), { recursive: true, mode: 0o700 });
        await appendFile(history, line, { mode: 0o600 });
      });
    },
    loadDraft: () => readOrEmpty(draft),
    storeDraft(text) {
      wanted = text;
      // Of several that wait only the newest is written.
      inOrder(() => (wanted === text ? writeDraft(draft, text) : Promise.resolve()));
    },
    async settled() {
      await work;
      if (isKept) await shorten(history);
    },
  };
}

/** A key that was typed or pasted into a prompt is not kept beside the session. */
async function holdsSecret(text: string): Promise<boolean> {
  const { scanForSecrets } = await import("../../../permissions/secrets/scan.ts");
  return scanForSecrets(text).length > 0;
}

async function writeDraft(path: string, text: string): Promise<void> {
  if (text === "" || text.length > LONGEST_PROMPT || (await holdsSecret(text))) return unlink(path);
  const { writeFileAtomic } = await import("../../../system/files.ts");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, text, { mode: 0o600 });
}

/** Oldest first; what cannot be read is passed over, and what was sent twice in a row is there once. */
function readHistory(path: string): string[] {
  const file = readTextFile(path, { maxBytes: 4 * MOST_BYTES });
  if (!file.ok) return [];
  const prompts = file.text.split("\n").flatMap((line) => promptIn(line) ?? []);
  return prompts.filter((text, index) => text !== prompts[index - 1]).slice(-MOST_PROMPTS);
}

function promptIn(line: string): string | undefined {
  try {
    return line === "" ? undefined : asString(asObject(JSON.parse(line))?.text);
  } catch {
    return undefined;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, LONGEST_PROMPT);
  } catch {
    return "";
  }
}

/** Kept to its newer half when it has grown too long. */
async function shorten(path: string): Promise<void> {
  const file = readTextFile(path, { maxBytes: 4 * MOST_BYTES });
  const lines = file.ok ? file.text.trimEnd().split("\n") : [];
  if (!file.ok || (file.text.length <= MOST_BYTES && lines.length <= 2 * MOST_PROMPTS)) return;
  const { writeFileAtomic } = await import("../../../system/files.ts");
  await writeFileAtomic(path, `${lines.slice(-Math.min(MOST_PROMPTS, lines.length / 2)).join("\n")}\n`, {
    mode: 0o600,
  });
}
