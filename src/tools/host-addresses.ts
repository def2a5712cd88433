import type { HostContent, HostOutcome, HostScheme } from "../protocol/host-schemes.ts";
import { MAXIMUM_FILE_BYTES } from "./file-content.ts";

/** What addresses of schemes that were registered hold. Any other `scheme://…` is an ordinary path. */
export interface HostAddresses {
  isHosted(path: string): boolean;
  read(url: string, signal: AbortSignal): Promise<HostOutcome<HostContent>>;
  write(url: string, content: string, signal: AbortSignal): Promise<HostOutcome>;
  /** What a model is told of them; empty where there are none. */
  described(): string;
  /** In place of those before. */
  replace(schemes: readonly HostScheme[]): void;
}

/** Of contents that never change. */
const MOST_KEPT_BYTES = 4_000_000;

export function createHostAddresses(): HostAddresses {
  let schemes: ReadonlyMap<string, HostScheme> = new Map();
  const kept = createKept();
  const schemeOf = (url: string) => schemes.get(schemeIn(url) ?? "");
  return {
    isHosted: (path) => schemes.size > 0 && schemeOf(path) !== undefined,
    async read(url, signal) {
      const known = kept.get(url);
      if (known !== undefined) return { ok: true, ...known };
      const scheme = schemeOf(url);
      if (scheme === undefined) return gone(url);
      const read = await scheme.read(url, signal);
      if (!read.ok) return read;
      const bytes = Buffer.byteLength(read.content);
      if (bytes > MAXIMUM_FILE_BYTES)
        return { ok: false, message: `${url} has ${bytes} bytes, more than the limit of ${MAXIMUM_FILE_BYTES}.` };
      if (read.immutable ?? scheme.immutable) kept.add(url, read, bytes);
      return read;
    },
    async write(url, content, signal) {
      const scheme = schemeOf(url);
      if (scheme === undefined) return gone(url);
      if (!scheme.writable)
        return { ok: false, message: `${url} cannot be written: addresses of ${scheme.scheme}:// are only read.` };
      kept.forget(url);
      return scheme.write(url, content, signal);
    },
    described: () => describe([...schemes.values()]),
    replace(next) {
      schemes = new Map(next.map((scheme) => [scheme.scheme, scheme]));
      kept.clear();
    },
  };
}

function describe(schemes: readonly HostScheme[]): string {
  if (schemes.length === 0) return "";
  const lines = schemes.map(({ scheme, description, writable }) => {
    const tools = writable ? "read_file and write_file" : "read_file";
    return `- ${scheme}://… for ${tools}${description === "" ? "" : `: ${description}`}`;
  });
  return `These addresses can be used in place of a path:\n${lines.join("\n")}`;
}

function schemeIn(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(url.trim())?.[1]?.toLowerCase();
}

function gone(url: string): { ok: false; message: string } {
  return { ok: false, message: `Nobody reads or writes ${schemeIn(url) ?? "such"}:// addresses any more.` };
}

/** The one that was read longest ago goes first. */
function createKept() {
  const contents = new Map<string, { content: HostContent; bytes: number }>();
  let total = 0;
  const forget = (url: string) => {
    total -= contents.get(url)?.bytes ?? 0;
    contents.delete(url);
  };
  return {
    get: (url: string) => contents.get(url)?.content,
    add(url: string, content: HostContent, bytes: number) {
      forget(url);
      contents.set(url, { content, bytes });
      total += bytes;
      for (const [oldest] of contents) if (total > MOST_KEPT_BYTES) forget(oldest);
    },
    forget,
    clear() {
      contents.clear();
      total = 0;
    },
  };
}
