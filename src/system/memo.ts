import { join } from "node:path";
import { readTextFile } from "./text-file.ts";

/**
 * Remembers what was once computed from a text, so that the next start need not. One file per name; a result counts only for
 * exactly the text it was made from. It may always be deleted, and what cannot be read or written is simply computed again.
 */
export interface Memo {
  find(name: string, text: string): { value: unknown } | undefined;
  keep(name: string, text: string, value: unknown): Promise<void>;
}

const MAX_BYTES = 4_000_000;

/** Remembers nothing: for a program whose parts change from run to run. */
export const noMemo: Memo = { find: () => undefined, keep: async () => {} };

/** `build` is part of every key: another build of the program may compute something else. */
export function fileMemo(directory: string, build: string): Memo {
  const place = (name: string) => join(directory, `${name}.json`);
  const keyOf = (text: string) => new Bun.CryptoHasher("sha256").update(`${build}\n${text}`).digest("hex");
  return {
    find(name, text) {
      try {
        const file = readTextFile(place(name), { maxBytes: MAX_BYTES });
        const stored: unknown = file.ok ? JSON.parse(file.text) : undefined;
        return isStored(stored) && stored.key === keyOf(text) ? { value: stored.value } : undefined;
      } catch {
        return undefined;
      }
    },
    async keep(name, text, value) {
      const stored = JSON.stringify({ key: keyOf(text), value });
      if (stored.length > MAX_BYTES) return;
      const { ensureDirectory, writeFileAtomic } = await import("./files.ts");
      await ensureDirectory(directory, 0o700);
      await writeFileAtomic(place(name), stored, { mode: 0o600 });
    },
  };
}

function isStored(value: unknown): value is { key: string; value: unknown } {
  return typeof value === "object" && value !== null && "key" in value && "value" in value;
}
