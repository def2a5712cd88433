import { isEffort } from "../../protocol/effort.ts";
import type { SessionEntry } from "../../protocol/session-entries.ts";
import { isFileList, isLeftList, isShellSnapshot } from "../undo/file-record-shape.ts";

// Whether a value has the shape of an entry, as the schema says it, in a fraction of the schema's time: a long session has
// a hundred thousand of them. Unknown keys are let through, so a field added by a later Ralph of the same version is harmless.

type Fields = Record<string, unknown>;

export function isSessionEntry(value: unknown): value is SessionEntry {
  if (!isObject(value)) return false;
  const { id, parentId, at, type } = value;
  if (typeof id !== "string" || typeof at !== "string" || (parentId !== null && typeof parentId !== "string"))
    return false;
  if (typeof type !== "string" || !Object.hasOwn(BODIES, type)) return false;
  return BODIES[type as SessionEntry["type"]](value);
}

export function entryTypes(): SessionEntry["type"][] {
  return Object.keys(BODIES) as SessionEntry["type"][];
}

const BODIES: Record<SessionEntry["type"], (entry: Fields) => boolean> = {
  message: ({ message, cost, queuedAs, commandIds }) =>
    isMessage(message) &&
    (cost === undefined || typeof cost === "number") &&
    isOptionalText(queuedAs) &&
    (commandIds === undefined || isTexts(commandIds)),
  command: ({ command, output, ending, exitCode, artifact }) =>
    typeof command === "string" &&
    typeof output === "string" &&
    typeof ending === "string" &&
    isOptionalNumber(exitCode) &&
    isOptionalText(artifact),
  "rules-injected": ({ names, message, usage, cost }) =>
    isTexts(names) &&
    (message === undefined || (isMessage(message) && (message as Fields).role === "user")) &&
    isSpent(usage, cost),
  queued: ({ kind, message }) =>
    (kind === "steering" || kind === "follow-up") && isMessage(message) && (message as Fields).role === "user",
  unqueued: ({ targetId }) => typeof targetId === "string",
  "tool-started": ({ call }) => isObject(call) && call.type === "tool-call" && isToolCall(call),
  "model-changed": ({ model, temporary }) =>
    typeof model === "string" && (temporary === undefined || typeof temporary === "boolean"),
  "effort-changed": ({ effort }) => typeof effort === "string" && isEffort(effort),
  "mode-changed": ({ mode, by }) => typeof mode === "string" && (by === undefined || by === "person" || by === "model"),
  "safe-changed": ({ safe }) => typeof safe === "boolean",
  "tools-advertised": ({ names }) => Array.isArray(names) && names.every((name) => typeof name === "string"),
  "tasks-changed": ({ tasks }) => Array.isArray(tasks) && tasks.every(isListedTask),
  "system-prompt": ({ text }) => typeof text === "string",
  compaction: ({ summary, firstKeptId, tokensBefore, pinned, tokensAfter, model, server, usage, cost }) =>
    typeof summary === "string" &&
    typeof firstKeptId === "string" &&
    typeof tokensBefore === "number" &&
    (pinned === undefined || isContent(pinned)) &&
    isOptionalNumber(tokensAfter) &&
    isOptionalText(model) &&
    (server === undefined || isCompacted(server)) &&
    isSpent(usage, cost),
  pruned: ({ entryIds, keep, tokensBefore, tokensAfter }) =>
    isTexts(entryIds) &&
    typeof keep === "number" &&
    typeof tokensBefore === "number" &&
    typeof tokensAfter === "number",
  "compaction-failed": ({ reason, tokens, usage, cost }) =>
    typeof reason === "string" && typeof tokens === "number" && isSpent(usage, cost),
  "compaction-undone": ({ targetIds, tokens }) => isTexts(targetIds) && typeof tokens === "number",
  "branch-summary": ({ fromId, summary }) => typeof fromId === "string" && typeof summary === "string",
  label: ({ targetId, label }) => typeof targetId === "string" && (label === null || typeof label === "string"),
  name: ({ name }) => typeof name === "string",
  "files-before": ({ turnId, files, fromSnapshot }) =>
    typeof turnId === "string" && isFileList(files) && isOptionalTrue(fromSnapshot),
  "files-after": ({ turnId, files, isSettled, isUncertain, problem }) =>
    typeof turnId === "string" &&
    isFileList(files) &&
    isOptionalTrue(isSettled) &&
    isOptionalTrue(isUncertain) &&
    isOptionalText(problem),
  "shell-snapshot": ({ turnId, snapshot }) => typeof turnId === "string" && isShellSnapshot(snapshot),
  "undo-started": ({ undoes }) => typeof undoes === "string",
  "undo-ended": ({ turnId, left }) => typeof turnId === "string" && isLeftList(left),
  custom: (entry) => typeof entry.kind === "string" && Object.hasOwn(entry, "data"),
};

function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.role) {
    case "user":
      return isContent(value.content);
    case "assistant":
      return isAnswer(value);
    case "tool-result":
      return (
        typeof value.toolCallId === "string" &&
        typeof value.toolName === "string" &&
        typeof value.isError === "boolean" &&
        isContent(value.content)
      );
    default:
      return false;
  }
}

const STOP_REASONS = new Set<unknown>(["stop", "tool-use", "length", "refusal", "pause", "cut"]);

function isAnswer(message: Fields): boolean {
  const { content, provider, api, model, responseId, stopReason, usage } = message;
  return (
    typeof provider === "string" &&
    typeof api === "string" &&
    typeof model === "string" &&
    isOptionalText(responseId) &&
    STOP_REASONS.has(stopReason) &&
    isUsage(usage) &&
    Array.isArray(content) &&
    content.every(isAnswerPart)
  );
}

function isUsage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { input, output, cacheRead, cacheWrite, cacheWriteLong, reasoning } = value;
  return (
    typeof input === "number" &&
    typeof output === "number" &&
    typeof cacheRead === "number" &&
    typeof cacheWrite === "number" &&
    (cacheWriteLong === undefined || typeof cacheWriteLong === "number") &&
    (reasoning === undefined || typeof reasoning === "number")
  );
}

function isCompacted(value: unknown): boolean {
  return (
    isObject(value) && [value.provider, value.api, value.model, value.items].every((text) => typeof text === "string")
  );
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.every(isContentPart);
}

function isContentPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  if (part.type === "text") return typeof part.text === "string" && isOptionalText(part.signature);
  return part.type === "image" && typeof part.mediaType === "string" && typeof part.data === "string";
}

function isAnswerPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  if (part.type === "tool-call") return isToolCall(part);
  if (part.type === "text") return typeof part.text === "string" && isOptionalText(part.signature);
  return (
    part.type === "thinking" &&
    typeof part.text === "string" &&
    isOptionalText(part.id) &&
    isOptionalText(part.signature) &&
    isOptionalText(part.encrypted)
  );
}

function isToolCall(part: Fields): boolean {
  return (
    typeof part.id === "string" &&
    typeof part.name === "string" &&
    isObject(part.input) &&
    isOptionalText(part.invalidInput) &&
    isOptionalText(part.signature)
  );
}

const TASK_STATUSES = new Set<unknown>(["pending", "in_progress", "completed"]);
const TASK_PRIORITIES = new Set<unknown>(["low", "medium", "high"]);

function isListedTask(task: unknown): boolean {
  if (!isObject(task)) return false;
  const { id, content, status, priority, parent_id } = task;
  return (
    typeof id === "string" &&
    typeof content === "string" &&
    TASK_STATUSES.has(status) &&
    TASK_PRIORITIES.has(priority) &&
    isOptionalText(parent_id)
  );
}

function isOptionalTrue(value: unknown): boolean {
  return value === undefined || value === true;
}

function isSpent(usage: unknown, cost: unknown): boolean {
  return (usage === undefined || isUsage(usage)) && isOptionalNumber(cost);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isOptionalNumber(value: unknown): boolean {
  return value === undefined || typeof value === "number";
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
