import type { Check, Story, Task } from "../../protocol/loop-tasks.ts";
import { describeFeedback, type PromptFeedback } from "./prompt-feedback.ts";
import rules from "./prompt-rules.md" with { type: "text" };
import { fillPlaceholders, mentions, sectionsFor } from "./prompt-template.ts";

// The prompt of one iteration, as a pure text.

export const MARKER = "<promise>COMPLETE</promise>";
export const BLOCKED_MARKER = "<promise>BLOCKED: what exactly is needed</promise>";

export interface PromptParts {
  template: string;
  task: Pick<Task, "directory" | "file" | "branchName" | "description">;
  /** Absent where the agent maps the project instead of working on a story. */
  story?: Story;
  progressFile: string;
  mapFile?: string;
  agent: string;
  iteration: number;
  /** What people sent in meanwhile; each is told once. */
  injected: readonly string[];
  /** What the harness found after the last try at this story. */
  feedback?: PromptFeedback;
  /** Instructions for agents, for a runner that does not read them itself. */
  instructions?: readonly { path: string; text: string }[];
}

const LONGEST_STORY = 20_000;
const LONGEST_INJECTED = 20_000;

/**
 * What a person sent in comes first. A template that has no place for the story, the checks, what failed or the rules gets them
 * at its end. No line of the result is the marker alone, so that an agent that repeats its prompt claims nothing.
 */
export function renderPrompt(parts: PromptParts): string {
  const template = sectionsFor(parts.agent, parts.template);
  const sections = sectionsOf(parts);
  const missing = Object.keys(sections).filter((name) => !mentions(template, name));
  const whole = [template, ...missing.map((name) => `{${name}}`)].join("\n\n");
  const text = [...injectedTexts(parts.injected), ...instructionTexts(parts), fillPlaceholders(whole, valuesOf(parts))];
  const joined = text
    .join("\n\n")
    .replace(/\r\n?/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  return `${joined.split("\n").map(withoutBareMarker).join("\n").trim()}\n`;
}

/** What belongs into every prompt about a story, in this order. */
function sectionsOf({ story, feedback }: PromptParts): Record<string, string> {
  if (story === undefined) return {};
  return {
    STORY: describeStory(story),
    CHECKS: describeChecks(story.checks),
    FEEDBACK: feedback === undefined ? "" : describeFeedback(feedback),
    RULES: rules.trim(),
  };
}

function valuesOf(parts: PromptParts): Record<string, string> {
  const { task, story, progressFile, mapFile = "", agent, iteration } = parts;
  const plain = {
    TASK_DIR: task.directory,
    PRD_FILE: task.file,
    PROGRESS_FILE: progressFile,
    MAP_FILE: mapFile,
    BRANCH_NAME: task.branchName ?? "",
    TASK_DESCRIPTION: task.description,
    AGENT: agent,
    ITERATION: String(iteration),
    STORY_ID: story?.id ?? "",
    STORY_TITLE: story?.title ?? "",
    MARKER,
    BLOCKED_MARKER,
  };
  const sections = sectionsOf(parts);
  return { ...plain, ...sections, ...("RULES" in sections ? { RULES: fillPlaceholders(rules.trim(), plain) } : {}) };
}

function describeStory({ id, title, description, acceptanceCriteria, notes }: Story): string {
  const lines = [
    `## Your story: ${id}, ${title}`,
    ...(description === "" ? [] : ["", description]),
    ...(acceptanceCriteria.length === 0 ? [] : ["", "It is done when:"]),
    ...acceptanceCriteria.map((criterion) => `- ${criterion.description}`),
    ...(notes === "" ? [] : ["", `Notes: ${notes}`]),
  ];
  const text = lines.join("\n");
  return text.length > LONGEST_STORY
    ? `${text.slice(0, LONGEST_STORY)}\n[cut here; the rest is in the task's file]`
    : text;
}

function describeChecks(checks: readonly Check[]): string {
  if (checks.length === 0) return "";
  const lines = checks.map((check) => {
    if (check.type === "exists") return `- the file ${code(check.exists)} exists`;
    return `- ${code(check.run)} exits 0${check.mustFailFirst ? ", and does not without your work" : ""}`;
  });
  return ["## Checks that will be run", ...lines].join("\n");
}

/** In as many backticks as it takes. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const blank = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${blank}${text}${blank}${ticks}`;
}

function injectedTexts(injected: readonly string[]): string[] {
  if (injected.length === 0) return [];
  const texts = injected.map((text) => text.trim().slice(0, LONGEST_INJECTED));
  return ["## From the person who watches; this comes before everything below", ...texts];
}

function instructionTexts({ instructions = [] }: PromptParts): string[] {
  return instructions.map(({ path, text }) => `## Instructions of ${path}\n\n${text.trim()}`);
}

const BARE_MARKER = /^[\s`*_>#-]*<promise>.*<\/promise>[\s`*_.]*$/i;

function withoutBareMarker(line: string): string {
  return BARE_MARKER.test(line) ? `the line ${line.trim()}, here only mentioned` : line;
}
