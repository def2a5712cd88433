import type { Ask } from "../../protocol/asks.ts";
import { makeVisible, makeVisibleInOneLine } from "../../tui/text/make-visible.ts";

// An ask as a person at a terminal reads it. Pure.

/** Everything that would be done, to its last character: what a person cannot see they cannot allow. */
export function wholeAsk({ category, resources, summary, cwd, needs }: Ask): string {
  if (category !== "shell")
    return [
      `Allow: ${makeVisibleInOneLine(summary)}`,
      ...resources.map((resource) => `  ${makeVisibleInOneLine(resource)}`),
    ].join("\n");
  const lines = resources.flatMap((command) => command.split("\n")).map((line) => `  ${makeVisible(line)}`);
  const place = cwd === undefined ? "" : ` in ${makeVisibleInOneLine(cwd)}`;
  return [`Allow this command${place}?`, ...lines, ...needsOf(needs)].join("\n");
}

/** What is kept is shown before it counts. */
export function choicesFor(ask: Ask, rules: readonly string[]): string {
  if (!ask.options.includes("session")) return "[y]es or [N]o, [?] details?";
  const kept = rules.map(makeVisibleInOneLine).join(" ");
  return `[y]es, [N]o, [?] details, [e]dit the rule, or, ne[v]er, for this [s]ession or [a]lways: ${kept}?`;
}

/** Why it is asked, what the answer counts for and how long. */
export function detailsOf({ tool, category, reason, boundTo, digest, expiresAt, options }: Ask): string {
  const keeping = options.includes("session")
    ? "yes is for once; session, always and never are kept as the rule that is shown"
    : "it can only be answered for once";
  return [
    `  tool       ${makeVisibleInOneLine(tool)} (${category})`,
    ...(reason === undefined ? [] : [`  asked for  ${makeVisibleInOneLine(reason)}`]),
    ...boundTo.map((part, index) => `  ${index === 0 ? "counts for" : "          "} ${makeVisibleInOneLine(part)}`),
    `  answers    ${keeping}`,
    `  until      ${new Date(expiresAt).toLocaleTimeString("en-GB")}, then it is a no`,
    `  digest     ${digest.slice(0, 16)}`,
  ].join("\n");
}

/** Several at once, each whole. */
export function listOf(asks: readonly Ask[]): string {
  const items = asks.map((ask, index) => `${index + 1}. ${wholeAsk(ask).replaceAll("\n", "\n   ")}`);
  return [`${asks.length} calls wait for an answer.`, ...items].join("\n");
}

/** `Bash(a:*) Write(b)` as a person types it. */
export function typedRules(line: string): string[] {
  return line.split(/(?<=\))\s+/).filter((rule) => rule !== "");
}

/** What the sandbox would be opened for. */
function needsOf({ network, writable = [], unsandboxed }: NonNullable<Ask["needs"]> = {}): string[] {
  if (unsandboxed) return ["It would run without the sandbox, with all your rights."];
  return [
    ...(network ? ["It would get the network."] : []),
    ...writable.map((place) => `It could write to ${makeVisibleInOneLine(place)}`),
  ];
}
