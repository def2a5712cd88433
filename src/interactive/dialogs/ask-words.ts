import type { Ask, AskOption } from "../../protocol/asks.ts";
import { makeVisible, makeVisibleInOneLine } from "../../tui/text/make-visible.ts";

// An ask in words: everything that would be done, and what each answer means. Pure.

/** A text and how it stands out. */
export interface AskLine {
  text: string;
  tone: "plain" | "strong" | "warning" | "muted" | "added" | "removed";
}

/** Everything that would be done, to its last character: what a person cannot see they cannot allow. */
export function askLines(ask: Ask): AskLine[] {
  const { category, resources, summary, cwd, needs, warning, reason } = ask;
  const isCommand = category === "shell";
  const place = cwd === undefined ? "" : ` in ${makeVisibleInOneLine(cwd)}`;
  const head = isCommand ? `Allow this command${place}?` : `Allow: ${makeVisibleInOneLine(summary)}`;
  const what = isCommand
    ? resources.flatMap((command) => command.split("\n")).map(makeVisible)
    : resources.map(makeVisibleInOneLine);
  return [
    { text: head, tone: "plain" },
    ...what.map((text): AskLine => ({ text: `  ${text}`, tone: "strong" })),
    ...needsOf(needs).map((text): AskLine => ({ text, tone: "warning" })),
    ...(warning === undefined ? [] : [{ text: `! ${makeVisibleInOneLine(warning)}`, tone: "warning" as const }]),
    ...(reason === undefined ? [] : [{ text: `Asked for: ${makeVisibleInOneLine(reason)}`, tone: "muted" as const }]),
  ];
}

/** What the sandbox would be opened for. */
function needsOf({ network, writable = [], unsandboxed }: NonNullable<Ask["needs"]> = {}): string[] {
  if (unsandboxed) return ["It would run without the sandbox, with all your rights."];
  return [
    ...(network ? ["It would get the network."] : []),
    ...writable.map((place) => `It could write to ${makeVisibleInOneLine(place)}`),
  ];
}

/** One ask in a list of several. */
export function askInOneLine({ tool, category, resources, summary }: Ask): string {
  return `${tool}: ${makeVisibleInOneLine(category === "shell" ? resources.join(" ; ") : summary)}`;
}

/** What the answer counts for and how long. */
export function detailLines({ tool, category, boundTo, digest, expiresAt, options }: Ask): AskLine[] {
  const keeping = options.includes("session")
    ? "yes is for once; session, always and never are kept as the rule that is shown"
    : "it can only be answered for once";
  const rows: [string, string][] = [
    ["tool", `${tool} (${category})`],
    ...boundTo.map((part, index): [string, string] => [index === 0 ? "counts for" : "", part]),
    ["answers", keeping],
    ["until", untilWords(expiresAt)],
    ["digest", digest.slice(0, 16)],
  ];
  return rows.map(([name, text]) => ({ text: `${name.padEnd(10)} ${makeVisibleInOneLine(text)}`, tone: "muted" }));
}

export function untilWords(expiresAt: number): string {
  return `${new Date(expiresAt).toLocaleTimeString("en-GB")}, then it is a no`;
}

/** `Bash(a:*) Write(b)` as a person types it. */
export function typedRules(line: string): string[] {
  return line
    .trim()
    .split(/(?<=\))\s+/)
    .filter((rule) => rule !== "");
}

export interface AskChoice {
  answer: AskOption;
  key: string;
  words: string;
}

const CHOICES: readonly AskChoice[] = [
  { answer: "yes", key: "y", words: "yes, once" },
  { answer: "session", key: "s", words: "yes, and keep the rule for this session" },
  { answer: "always", key: "a", words: "yes, and keep the rule for good" },
  { answer: "no", key: "n", words: "no" },
  { answer: "never", key: "v", words: "never: the rule says no for good" },
];

export function choicesOf({ options }: Ask): AskChoice[] {
  return CHOICES.filter(({ answer }) => options.includes(answer));
}

/** Whether an answer can be kept as a rule. */
export function canKeep({ options }: Ask): boolean {
  return options.some((option) => option === "session" || option === "always" || option === "never");
}
