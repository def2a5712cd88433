import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { CoderRules } from "../../coder/coder-rules.ts";
import { placeOf, RULE_SOURCES, type RulePlaces } from "../../extensions/rules/rule-sources.ts";
import type { RuleSettings } from "../../extensions/rules/rule-watch.ts";
import type { RunContext } from "../run-context.ts";
import { projectRoot } from "../settings/load-settings.ts";

/** The rules of a session: what stands in its prompt, and what works beside it. */
export interface SessionRules {
  prompt: string;
  rules?: CoderRules;
}

/** Where nobody wrote any, which is known from a few names, nothing is loaded. */
export async function sessionRules(context: RunContext): Promise<SessionRules> {
  const places = rulePlaces(context);
  if (!RULE_SOURCES.some((source) => placeOf(source, places) !== undefined)) return { prompt: "" };
  const { discoverRules } = await import("../../extensions/rules/discover-rules.ts");
  const { isRuleAddress, readRuleAddress, rulesPrompt, sortRules } = await import(
    "../../extensions/rules/rule-book.ts"
  );
  const { protectedFileTest } = await import("../../coder/protected-files.ts");
  const isProtected = protectedFileTest(context.paths);
  const { rules, notes } = discoverRules({ ...places, isTrusted: context.isTrusted, isProtected });
  const book = sortRules(rules);
  const prompt = rulesPrompt(book);
  const watching = await watchFor(context, book.watching);
  tellSome(context, [...notes, ...prompt.notes, ...watching.notes]);
  const isReadable = book.always.length + book.listed.length > 0;
  return {
    prompt: prompt.text,
    rules: {
      ...(watching.watch === undefined ? {} : { watch: watching.watch }),
      ...(isReadable ? { pages: { isRule: isRuleAddress, read: (url) => readRuleAddress(book, url) } } : {}),
    },
  };
}

/** Paths of the project that hold rules, whether they count or not. What is the person's own, in their home, is not among them. */
export function projectRules(context: RunContext): string[] {
  const places = rulePlaces(context);
  const pathsOf = (whose: "project" | "user") =>
    RULE_SOURCES.filter(({ owner }) => owner === whose).flatMap((source) => placeOf(source, places)?.path ?? []);
  const own = pathsOf("user");
  return pathsOf("project")
    .filter((path) => !own.includes(path))
    .map((path) => relative(places.root, path));
}

function rulePlaces({ cwd, paths, home }: RunContext): RulePlaces {
  return { root: projectRoot(cwd), cwd, config: paths.config, home };
}

const MOST_TOLD = 10;

function tellSome({ note }: RunContext, lines: readonly string[]): void {
  for (const line of lines.slice(0, MOST_TOLD)) note(line);
  const more = lines.length - MOST_TOLD;
  if (more > 0) note(`${more} more rules were left out or cannot be used as they are.`);
}

type Watching = Parameters<typeof import("../../extensions/rules/watched-rule.ts").prepareRules>[0];

interface Watch {
  watch?: CoderRules["watch"];
  notes: readonly string[];
}

async function watchFor(context: RunContext, watching: Watching): Promise<Watch> {
  const { values } = context.settings;
  if (watching.length === 0 || values["ttsr.enabled"] === false) return { notes: [] };
  const { prepareRules } = await import("../../extensions/rules/watched-rule.ts");
  const { createRuleWatch } = await import("../../extensions/rules/rule-watch.ts");
  const { watched, notes } = prepareRules(watching);
  if (watched.length === 0) return { notes };
  const settings: RuleSettings = {
    contextMode: values["ttsr.contextMode"] ?? "discard",
    interruptMode: values["ttsr.interruptMode"] ?? "always",
    repeatMode: values["ttsr.repeatMode"] ?? "once",
    repeatGap: values["ttsr.repeatGap"] ?? 10,
  };
  const places = { root: realpathSync(projectRoot(context.cwd)), cwd: realpathSync(context.cwd) };
  return { watch: (wiring) => createRuleWatch({ ...wiring, rules: watched, settings, places }), notes };
}
