import { basename, dirname } from "node:path";
import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import { sessionDirectory } from "../../sessions/session-name.ts";
import type { RunContext } from "../run-context.ts";
import { loadSettings, projectRoot } from "../settings/load-settings.ts";
import { settingFlags } from "../settings/setting-flags.ts";
import { askChoice } from "./ask-person.ts";
import { rememberAsked, wasAsked } from "./asked-once.ts";

/**
 * Asks once whether the files of this project count, where it has some that would. After a yes the context is changed: its
 * settings and its trust are those of a trusted folder. Esc is a no.
 */
export async function askForTrust(context: RunContext, run: InteractiveRun): Promise<void> {
  const root = projectRoot(context.cwd);
  const name = `trust-${basename(sessionDirectory(context.paths, root))}`;
  const isTooWide = root === dirname(root) || root === context.home;
  if (isTooWide || context.environment.RALPH_RUN_ID !== undefined || wasAsked(context, name)) return;
  const { obeyedFilesIn } = await import("../../permissions/trust/project-files.ts");
  if (obeyedFilesIn(root).length === 0 || context.isTrusted()) return;
  const { trustOffer } = await import("../commands/trust.ts");
  const { claudeFilesOf } = await import("../permissions/claude-policy.ts");
  const { visible } = await import("../printable.ts");
  const files = claudeFilesOf(root);
  run.host().say(`\`\`\`\`text\n${visible(trustOffer(root, files)).trimEnd()}\n\`\`\`\``);
  const isTrusted = await askChoice(run, "Do you trust the files of this folder?", [
    { value: false, label: "no", description: "they do not count; ralph trust changes that" },
    { value: true, label: "yes", description: "they count from now on" },
  ]);
  await rememberAsked(context, name);
  if (isTrusted === true) await trust(context, run, { root, files });
}

interface Offered {
  root: string;
  files: Parameters<typeof import("../../permissions/gate/claude-settings.ts").allowedBy>[0];
}

async function trust(context: RunContext, run: InteractiveRun, { root, files }: Offered): Promise<void> {
  const { allowedBy } = await import("../../permissions/gate/claude-settings.ts");
  const { trustStore } = await import("../trust/project-trust.ts");
  const { allows, digest } = allowedBy(files);
  const stored = await trustStore(context).trust(root, allows.length === 0 ? undefined : digest);
  if (!stored.ok) return run.host().say(`The folder is not trusted: ${stored.message}`);
  const { paths, cwd, environment, memo } = context;
  context.isTrusted = () => true;
  const flags = settingFlags(context.arguments);
  context.settings = await loadSettings({ paths, cwd, environment, flags, memo, isTrusted: context.isTrusted });
}
