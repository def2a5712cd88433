import type { CommandVerdict } from "../../permissions/gate/decide-command.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { configuredPolicy, policyPlaces } from "../permissions/configured-policy.ts";
import { visible } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { sandboxChoice } from "../sandbox-choice.ts";

/** `ralph why -- COMMAND`: what the gate would say to a command here, and why. Nothing is run and nobody is asked. */
export async function why(context: RunContext): Promise<number> {
  const command = context.arguments.words.join(" ").trim();
  if (command === "") {
    context.note('Name the command: ralph why -- "npm test && git push"');
    return EXIT.usage;
  }
  const { openPolicy } = await import("../../permissions/gate/open-policy.ts");
  const { decideCommand } = await import("../../permissions/gate/decide-command.ts");
  const { mode, probe } = sandboxChoice(context);
  const state = mode === "off" ? ({ type: "off" } as const) : await probe();
  const sandbox = state.type === "bubblewrap" || state.type === "seatbelt" ? state.type : undefined;
  const { policy, world, problems } = await openPolicy(configuredPolicy(context), policyPlaces(context));
  for (const problem of problems) context.note(problem);
  const isSandboxed = sandbox !== undefined;
  const verdict = decideCommand({ command, cwd: world.workspace }, { ...policy, isSandboxed }, world);
  if (hasFlag(context, "json")) print(`${JSON.stringify({ ...verdict, sandbox: sandbox ?? null })}\n`);
  else
    print(visible(`${explained(verdict)}${whereItRuns(verdict, sandbox, state.type === "off" ? "off" : "missing")}`));
  return EXIT.done;
}

function explained({ effect, reason, tier, segments }: CommandVerdict): string {
  const lines = segments.map((segment) => `  ${segment.effect.padEnd(5)}  ${segment.command}  (${segment.reason})`);
  return `${effect}: ${reason} [${tier}]\n${lines.length > 0 ? `${lines.join("\n")}\n` : ""}`;
}

/** Nothing where it does not run at all. */
function whereItRuns(
  { effect, needs = {} }: CommandVerdict,
  sandbox: string | undefined,
  why: "off" | "missing",
): string {
  if (effect === "deny") return "";
  if (sandbox === undefined)
    return `It would run without a sandbox: ${why === "off" ? "it is off" : "there is none, see ralph doctor"}.\n`;
  if (needs.unsandboxed) return "It would run without the sandbox: it works with your own keys or services.\n";
  const more = [...(needs.network ? ["the network"] : []), ...(needs.writable ?? [])];
  return `It would run in the sandbox (${sandbox})${more.length === 0 ? "" : `, opened for ${more.join(", ")}`}.\n`;
}
