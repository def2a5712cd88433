import { runChecks } from "../doctor/checks.ts";
import type { Finding } from "../doctor/finding.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";

const MARKS = { ok: "✓", warning: "!", failed: "✗" } as const;

/** `ralph doctor`: what is missing and how to fix it. It only looks; nothing is sent but a knock at the providers' doors. */
export async function doctor(context: RunContext, version: string): Promise<number> {
  const findings = await runChecks(context, version);
  if (hasFlag(context, "json")) print(`${JSON.stringify({ version, findings })}\n`);
  else print(`${findings.map(describeFinding).join("\n")}\n`);
  return findings.some(({ state }) => state === "failed") ? EXIT.failed : EXIT.done;
}

export function describeFinding({ state, subject, text, fix }: Finding): string {
  return `${MARKS[state]} ${subject}: ${text}${fix === undefined ? "" : `\n    ${fix}`}`;
}
