import type { RunContext } from "../../run-context.ts";

// What some commands of Ralph print, as Markdown for the conversation.

export async function permissionsText(context: RunContext): Promise<string> {
  const { openPolicy } = await import("../../../permissions/gate/open-policy.ts");
  const { configuredPolicy, policyPlaces } = await import("../../permissions/configured-policy.ts");
  const { policy, problems, closed } = await openPolicy(configuredPolicy(context), policyPlaces(context));
  const rules = policy.rules.map(({ effect, text, origin }) => `${effect.padEnd(5)}  ${text}  (${origin})`);
  const kinds = Object.entries(policy.actions).map(([kind, action]) => `${kind.padEnd(12)} ${WORDS[action]}`);
  return [
    ...(closed === undefined ? [] : [`**Only looking is allowed:** ${closed}`]),
    rules.length === 0 ? "There are no rules of your own." : fenced(rules.join("\n")),
    "What no rule speaks of:",
    fenced(kinds.join("\n")),
    ...problems,
    "Rules stand in `config.yml` (`permissions.allow`, `.ask`, `.deny`). `ralph why -- COMMAND` explains one command.",
  ].join("\n\n");
}

const WORDS = { allow: "allowed", gate: "asked", deny: "never", tiered: "reading runs, the rest is asked" } as const;

export async function settingsText(context: RunContext): Promise<string> {
  const { settingLines } = await import("../../commands/config.ts");
  return `${fenced(settingLines(context).join("\n"))}\n\nThey stand in \`${context.paths.config}/config.yml\`.`;
}

export async function doctorText(context: RunContext, version: string): Promise<string> {
  const { describeFinding } = await import("../../commands/doctor.ts");
  const { runChecks } = await import("../../doctor/checks.ts");
  return fenced((await runChecks(context, version)).map(describeFinding).join("\n"));
}

function fenced(text: string): string {
  return `\`\`\`\`text\n${text}\n\`\`\`\``;
}
