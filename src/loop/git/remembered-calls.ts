import type { GitCall, GitResult } from "./git.ts";

// What git says about objects named by their whole id is always the same, so it is asked once: starting git is what it costs. What
// is in a tree is remembered elsewhere, as it was read.

type RunCall = (call: GitCall) => Promise<GitResult>;

const ABOUT_OBJECTS = new Set(["diff-tree", "rev-parse"]);
const MOST_ANSWERS = 32;
const MOST_BYTES = 16 * 1024 * 1024;

export function rememberingCalls(run: RunCall, idLength: number): RunCall {
  const known = new Map<string, GitResult & { ok: true }>();
  let bytes = 0;
  const keep = (key: string, answer: GitResult & { ok: true }) => {
    known.set(key, answer);
    bytes += answer.stdout.length;
    for (const [oldest, { stdout }] of known) {
      if (known.size <= MOST_ANSWERS && bytes <= MOST_BYTES) break;
      known.delete(oldest);
      bytes -= stdout.length;
    }
  };
  return async (call) => {
    if (!isAboutObjects(call, idLength)) return run(call);
    const key = call.arguments.join("\0");
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = await run(call);
    if (answer.ok && !known.has(key)) keep(key, answer);
    return answer;
  };
}

/** A call that says more than its words is not remembered. */
function isAboutObjects({ arguments: words, ...more }: GitCall, idLength: number): boolean {
  const [command = "", ...rest] = words;
  if (!ABOUT_OBJECTS.has(command) || Object.keys(more).length > 0) return false;
  const names = rest.filter((word) => !word.startsWith("-"));
  return names.length > 0 && names.every((name) => isWholeId(name, idLength));
}

function isWholeId(name: string, idLength: number): boolean {
  const id = name.replace(/\^\{(tree|commit)\}$/, "");
  return id.length === idLength && /^[0-9a-f]+$/.test(id);
}
