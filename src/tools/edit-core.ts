import type { JsonObject } from "../protocol/json.ts";
import type { ToolOutput } from "../protocol/tool-runs.ts";
import { currentContent } from "./current-content.ts";
import type { PinnedPath } from "./define-file-tool.ts";
import { failedOutput, textOutput } from "./define-tool.ts";
import { diffTexts, formatDiff } from "./diff.ts";
import type { EditPlan } from "./edit-plan.ts";
import { mergedIfStale } from "./merge-stale-edit.ts";
import { missingOutput } from "./missing-file.ts";
import { replaceFile } from "./replace-file.ts";
import { decodeText, encodeText, type TextContent } from "./text-content.ts";
import type { ToolWorld } from "./tool-world.ts";
import { strangeMark } from "./truncation-marks.ts";

/** Characters of a diff: what a model gets back at once, and what programs and faces get. */
const MAXIMUM_SHOWN = 16_000;
const MAXIMUM_KEPT = 64_000;

export interface EditJob {
  place: PinnedPath;
  hasBackup: boolean;
  /** Line numbers mean nothing in a file that is no longer the one that was read. */
  needsSeenContent: boolean;
  /** The new words of the edits, searched for signs that text was left out. */
  words: readonly string[];
  /** Pure: computed from the whole content, all edits or none. */
  plan(content: TextContent): EditPlan;
}

/** All edits are checked against the whole file before anything is written; then they are written at once, or not at all. */
export async function runEdit(world: ToolWorld, job: EditJob): Promise<ToolOutput> {
  const { place } = job;
  if (place.kind === "missing") return missingOutput(place);
  if (place.kind !== "file") return failedOutput(`${place.shown} is a directory. Edits work on files.`);
  const previous = await currentContent(world, place);
  if (!previous.ok) return failedOutput(previous.message);
  const content = decodeText(previous.bytes);
  if (content === undefined)
    return failedOutput(`${place.shown} is not UTF-8 text, so it cannot be edited here. Use a shell command.`);
  const seen = world.seen.hashOf(place.path);
  if (job.needsSeenContent && seen !== undefined && seen !== previous.hash)
    return failedOutput(`${place.shown} has changed since you read it. Read it again and use the new line numbers.`);
  const mark = strangeMark(job.words, content.text);
  if (mark !== undefined)
    return failedOutput(
      `"${mark}" stands for text that was left out; it is not in ${place.shown}. Give the real text.`,
    );
  const plan = mergedIfStale({ plan: job.plan, now: content, lastSeen: world.seen.contentOf(place.path) });
  if (!plan.ok) return failedOutput(plan.message);
  if (plan.raw === content.raw)
    return failedOutput(`The edit changes nothing in ${place.shown}: it already reads like that.`);
  const bytes = encodeText(content, plan.raw);
  const written = await replaceFile(world, { place, bytes, previous, hasBackup: job.hasBackup });
  if (!written.ok) return failedOutput(written.message);
  const { remark = "" } = plan;
  const change = { place, before: content.raw, after: plan.raw, remark };
  return changeOutput(change, { ...plan.details, ...written, ok: undefined });
}

export interface TextChange {
  place: PinnedPath;
  before: string;
  after: string;
  /** What the model should know besides. */
  remark?: string;
}

/** The diff with fresh anchors for the model, a plain one for everybody else. */
export function changeOutput(
  { place, before, after, remark = "" }: TextChange,
  { hash, backupPath, ...details }: JsonObject,
): ToolOutput {
  const diff = diffTexts(before, after);
  const shown = formatDiff(diff, { hasAnchors: true, maximumCharacters: MAXIMUM_SHOWN });
  const backup = typeof backupPath === "string" ? `\nBackup: ${backupPath}` : "";
  return textOutput(`${remark === "" ? "" : `${remark}\n`}Changed ${place.shown}:\n${shown}${backup}`, {
    path: place.path,
    ...details,
    hash,
    ...(backup === "" ? {} : { backup_path: backupPath }),
    diff: formatDiff(diff, { hasAnchors: false, maximumCharacters: MAXIMUM_KEPT }),
  });
}
