import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TrustStore } from "../../permissions/trust/trusted-folders.ts";
import type { Clock } from "../../system/clock.ts";
import type { RalphPaths } from "../../system/paths.ts";
import { projectRules } from "../rules/session-rules.ts";
import type { RunContext } from "../run-context.ts";
import { projectRoot } from "../settings/load-settings.ts";

interface TrustPlaces {
  cwd: string;
  paths: RalphPaths;
  clock: Pick<Clock, "now">;
}

/** Loaded where it matters whether a folder is trusted: most projects have nothing that would count. */
function trustedFolders(): typeof import("../../permissions/trust/trusted-folders.ts") {
  return require("../../permissions/trust/trusted-folders.ts");
}

export function trustStore({ paths, clock }: Omit<TrustPlaces, "cwd">): TrustStore {
  const { createTrustStore } = trustedFolders();
  return createTrustStore({ path: join(paths.config, "trusted-folders.json"), now: () => clock.now() });
}

/** Whether the project around the working directory is trusted. The list is read when it is first asked for. */
export function trustOf(places: TrustPlaces): () => boolean {
  let known: boolean | undefined;
  return () => {
    known ??= trustStore(places).isTrusted(projectRoot(places.cwd));
    return known;
  };
}

/** One line where the project has something that would count in a trusted folder. */
export function tellUntrusted(context: RunContext): void {
  const { settings, cwd, note } = context;
  const kept: string[] = settings.untrusted.map(({ key }) => key);
  const secrets = join(projectRoot(cwd), ".ralph", "secrets.yml");
  if (settings.values["secrets.enabled"] && existsSync(secrets) && !context.isTrusted())
    kept.push(".ralph/secrets.yml");
  const claude = join(projectRoot(cwd), ".claude", "settings.json");
  const hasClaude = existsSync(claude) && !context.isTrusted() && hasPermissions(claude);
  if (hasClaude) kept.push("permissions of .claude/settings.json");
  const rules = projectRules(context);
  const hasRules = rules.length > 0 && !context.isTrusted();
  if (hasRules) kept.push(...rules);
  if (kept.length === 0) return;
  const what = [...new Set(kept)].join(", ");
  const whose = hasClaude || hasRules ? "its files say" : "its .ralph says";
  note(
    `This folder is not trusted, so what ${whose} does not count (${what}). Obey it: ralph trust, or --trust for one run.`,
  );
}

/** Loaded only where there is such a file. */
function hasPermissions(path: string): boolean {
  const { readClaudeFile } =
    require("../../permissions/gate/claude-settings.ts") as typeof import("../../permissions/gate/claude-settings.ts");
  const file = readClaudeFile(path, path);
  return !file.ok || file.entries.length > 0;
}
