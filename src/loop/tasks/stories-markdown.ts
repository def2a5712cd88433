import type { TaskProblem } from "../../protocol/loop-tasks.ts";
import type { NewStory, NewTask } from "./new-task.ts";

// A list of stories as people write it, in Markdown:
//
//   # What this is for                 the first heading and the text below it describe the task
//   Branch: ralph/checkout
//   Setup: npm ci
//
//   ## Story: An expired card is refused        or "## Story S-7: …" with an id of its own
//   Any text describes the story.
//   - [ ] Paying with an expired card answers 402
//   Check: npm test -- expired
//   Exists: src/payment/expiry.ts
//   Sealed: test/payment/**
//   Depends on: S-1, S-2
//   Priority: 2

export type StoriesFromMarkdown = { ok: true; task: NewTask } | { ok: false; problems: readonly TaskProblem[] };

export function storiesFromMarkdown(text: string, defaults: { branchName: string }): StoriesFromMarkdown {
  const reading: Reading = {
    task: { branchName: defaults.branchName, description: "", stories: [] },
    description: [],
    texts: new Map(),
    problems: [],
    fence: undefined,
    story: undefined,
  };
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const [index, line] of lines.entries()) readLine(reading, line, index + 1);
  const { task, problems } = reading;
  if (task.stories.length === 0) {
    const remedy = 'Begin each with a line like "## Story: An expired card is refused".';
    problems.push({ path: "", message: "holds no story", remedy });
  }
  if (problems.length > 0) return { ok: false, problems };
  const stories = task.stories.map((story) => ({ ...story, description: paragraph(reading.texts.get(story)) }));
  return { ok: true, task: { ...task, description: paragraph(reading.description), stories } };
}

interface Reading {
  task: NewTask & { stories: NewStory[] };
  description: string[];
  texts: Map<NewStory, string[]>;
  problems: TaskProblem[];
  /** What closes the block of code the line is in. */
  fence: string | undefined;
  story: NewStory | undefined;
}

const HEADING = /^#{1,6}\s+(.*)$/;
const STORY = /^#{1,6}\s+story(?:\s+([^\s:]{1,100}))?\s*:(.*)$/i;
const CRITERION = /^[-*+]\s+(?:\[[ xX]?\])?(.*)$/;
const FIELD = /^(branch|setup|check|exists|sealed|depends on|priority)\s*:(.*)$/i;

function readLine(reading: Reading, line: string, number: number): void {
  const trimmed = line.trim();
  const fence = /^(`{3,}|~{3,})/.exec(trimmed)?.[1];
  if (reading.fence !== undefined || fence !== undefined) {
    if (reading.fence === undefined) reading.fence = fence;
    else if (fence?.startsWith(reading.fence)) reading.fence = undefined;
    return describe(reading, line);
  }
  const [, id = "", title] = STORY.exec(trimmed) ?? [];
  if (title !== undefined) return beginStory(reading, { id, title: title.trim() }, number);
  const [, name, value] = FIELD.exec(trimmed) ?? [];
  if (name !== undefined && value !== undefined)
    return readField(reading, { name: name.toLowerCase(), value: value.trim(), number });
  // A heading of the first two levels that is no story ends the one before it.
  if (/^##?\s/.test(trimmed)) reading.story = undefined;
  const criterion = CRITERION.exec(trimmed)?.[1]?.trim();
  if (reading.story === undefined) describe(reading, HEADING.exec(trimmed)?.[1] ?? line);
  else if (criterion === undefined || criterion === "") describe(reading, line);
  else reading.story.acceptanceCriteria.push(criterion);
}

function describe(reading: Reading, line: string): void {
  const { story } = reading;
  (story === undefined ? reading.description : reading.texts.get(story))?.push(line);
}

function beginStory(reading: Reading, { id, title }: { id: string; title: string }, number: number): void {
  const remedy = 'Write it like "## Story: An expired card is refused".';
  if (title === "") reading.problems.push({ path: `line ${number}`, message: "the story has no title", remedy });
  const position = reading.task.stories.length + 1;
  const story: NewStory = {
    id: id === "" || /^\d+$/.test(id) ? `S-${id === "" ? position : id}` : id,
    title,
    description: "",
    acceptanceCriteria: [],
    priority: position,
    checks: [],
    sealed: [],
    dependsOn: [],
  };
  reading.task.stories.push(story);
  reading.texts.set(story, []);
  reading.story = story;
}

interface FieldLine {
  name: string;
  value: string;
  number: number;
}

function readField(reading: Reading, { name, value, number }: FieldLine): void {
  const { story, task } = reading;
  const path = `line ${number}`;
  const isOfTask = name === "branch" || name === "setup";
  const refuse = (message: string, remedy: string) => void reading.problems.push({ path, message, remedy });
  const plain = value.replace(/^(`+)\s?(.*?)\s?\1$/, "$2");
  if (plain === "") return refuse(`"${name}" has nothing behind it`, "Write what is meant, or take the line out.");
  if (isOfTask && story !== undefined)
    return refuse(`"${name}" is for the whole task`, "Put it above the first story.");
  if (!isOfTask && story === undefined)
    return refuse(`"${name}" belongs to a story`, "Put it below a story's heading.");
  if (name === "branch") task.branchName = plain;
  else if (name === "setup") task.setup = plain;
  else if (story !== undefined) STORY_FIELDS[name]?.(story, plain, refuse);
}

type StoryField = (story: NewStory, value: string, refuse: (message: string, remedy: string) => void) => void;

const STORY_FIELDS: Record<string, StoryField> = {
  check: (story, value) => void story.checks.push(value),
  exists: (story, value) => void story.checks.push({ exists: value }),
  sealed: (story, value) => void story.sealed.push(...listed(value)),
  "depends on": (story, value) => void story.dependsOn.push(...listed(value)),
  priority: (story, value, refuse) => {
    if (/^-?\d{1,9}$/.test(value)) story.priority = Number(value);
    else refuse(`${JSON.stringify(value)} is no whole number`, 'Write it like "Priority: 2".');
  },
};

function listed(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function paragraph(lines: readonly string[] | undefined): string {
  return (lines ?? []).join("\n").trim();
}
