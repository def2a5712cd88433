import type { Story } from "../../protocol/loop-tasks.ts";
import { readCommands } from "./command-words.ts";
import { namedScript } from "./named-scripts.ts";
import { sealedWords } from "./sealed-words.ts";

/** Of the paths a person has not committed, those that checks rely on: the checks run on commits and do not see them. */
export function uncommittedChecks(
  stories: readonly Pick<Story, "checks" | "sealed">[],
  paths: readonly string[],
): string[] {
  const commands = stories.flatMap(({ checks }) =>
    checks.flatMap((check) => (check.type === "run" ? [check.run] : [])),
  );
  const patterns = stories.flatMap(({ checks, sealed }) => (checks.length === 0 ? [] : sealed));
  const words = sealedWords({ commands, patterns, paths, scriptsOf: () => undefined });
  const known = new Set(paths);
  const manifests = commands
    .flatMap((command) => readCommands(command))
    .flatMap((command) => namedScript(command)?.file ?? [])
    .filter((file) => known.has(file));
  return [...new Set([...words.paths, ...manifests])].sort();
}
