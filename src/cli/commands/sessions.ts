import { EXIT } from "../exit-codes.ts";
import type { RunContext } from "../run-context.ts";

interface Verb {
  /** The flags that mean something to it. */
  flags: readonly string[];
  run(context: RunContext, words: readonly string[]): Promise<number>;
}

const VERBS: Record<string, Verb> = {
  list: { flags: ["all", "json"], run: async (context) => (await import("../sessions/list.ts")).list(context) },
  show: {
    flags: ["json", "entry"],
    run: async (context, words) => (await import("../sessions/show.ts")).show(context, words),
  },
  search: {
    flags: ["all", "json"],
    run: async (context, words) => (await import("../sessions/search.ts")).search(context, words),
  },
  rm: { flags: ["yes"], run: async (context, words) => (await import("../sessions/remove.ts")).remove(context, words) },
  export: {
    flags: ["html", "md", "jsonl", "output", "entry", "yes"],
    run: async (context, words) => (await import("../sessions/export.ts")).exportSession(context, words),
  },
  name: { flags: [], run: async (context, words) => (await import("../sessions/name.ts")).name(context, words) },
};

/** Of these any number of words is meant. */
const MANY_WORDS = new Set(["search", "rm", "name"]);

/** `ralph sessions VERB`: what was said before, and what becomes of it. */
export async function sessions(context: RunContext): Promise<number> {
  const [name = "list", ...words] = context.arguments.words;
  const verb = VERBS[name];
  if (verb === undefined) throw new Error(`no verb ${name}`);
  const stray = [...context.arguments.flags.keys()].find((flag) => !["debug", ...verb.flags].includes(flag));
  const extra = words[name === "list" ? 0 : 1];
  if (stray !== undefined) return refuse(context, `ralph sessions ${name} does not take --${stray}.`);
  if (extra !== undefined && !MANY_WORDS.has(name))
    return refuse(context, `ralph sessions ${name} does not take "${extra}".`);
  return verb.run(context, words);
}

function refuse(context: RunContext, message: string): number {
  context.note(`${message} See: ralph help sessions`);
  return EXIT.usage;
}
