import { EXIT } from "../exit-codes.ts";
import { descriptorOutput, type Output } from "../output.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { onStopSignal } from "../stop-signals.ts";
import type { Chosen } from "./coder-options.ts";
import { createStreams } from "./create-streams.ts";
import type { FaceRun } from "./face.ts";
import { faceName } from "./face-choice.ts";
import type { PromptTask } from "./prompt-task.ts";
import { createRunFace } from "./run-face.ts";
import { work } from "./work.ts";

export interface Answering {
  version: string;
  secrets: OpenSecrets | undefined;
}

/** Works on a prompt and shows it. Gives back the exit code, or why it could not begin. */
export async function answerPrompt(
  context: RunContext,
  task: PromptTask,
  { version, secrets }: Answering,
): Promise<number | string> {
  const record = await openRecord(context, task, { version, secrets });
  if (record?.ok === false) return record.message;
  const interrupt = new AbortController();
  const stopListening = onStopSignal(() => interrupt.abort());
  interrupt.signal.addEventListener("abort", () => record?.interrupted(), { once: true });
  const descriptor = descriptorOutput(1, () => interrupt.abort());
  const output = record?.output(descriptor) ?? descriptor;
  const startedAt = record?.startedAt ?? context.clock.now();
  const face = await createRunFace({
    name: faceName(context),
    face: {
      output,
      note: context.note,
      isTerminal: () => process.stdout.isTTY === true,
      run: { ...faceRun(context, version), startedAt, ...record?.readings },
    },
    schema: task.outputSchema,
    more: task.more,
    later: task.later,
    veil: secrets?.veil,
  });
  const outcome = await work(context, {
    ...task,
    openStream: createStreams(context, { version, secrets, sessionId: task.session.header.id, wrap: record?.stream }),
    signal: interrupt.signal,
    face,
    printed: () => output.drained(),
    deck: record?.deck,
  });
  await lastWords(context, output, outcome.type === "interrupted");
  stopListening();
  record?.end(outcome);
  if (output.problem !== undefined) context.note(output.problem);
  if (output.problem !== undefined) return EXIT.failed;
  if (outcome.type === "failed" && outcome.error.kind === "credentials") context.note(keyOrigin(task.chosen));
  return face.exitCode(outcome);
}

/** What lines about a run say of it, as the flags have it. */
export function faceRun(context: RunContext, version: string): Omit<FaceRun, "startedAt"> {
  return {
    cwd: context.cwd,
    version,
    permissionMode: permissionMode(context),
    now: () => context.clock.monotonic(),
    randomId: () => crypto.randomUUID(),
  };
}

function permissionMode(context: RunContext): FaceRun["permissionMode"] {
  if (hasFlag(context, "safe")) return "plan";
  return hasFlag(context, "yolo") ? "bypassPermissions" : "default";
}

async function openRecord(context: RunContext, task: PromptTask, { version, secrets }: Answering) {
  const path = flagText(context, "record");
  if (path === undefined) return undefined;
  const { recordRun } = await import("../recording/record-run.ts");
  return recordRun(context, { path, task, version, secrets });
}

/** How long a reader that does not read may keep an interrupted run. */
const LAST_WORDS_MS = 2000;

async function lastWords({ clock }: RunContext, output: Output, isInterrupted: boolean): Promise<void> {
  await (isInterrupted ? Promise.race([output.drained(), clock.sleep(LAST_WORDS_MS)]) : output.drained());
}

/** Where the refused key is to be looked for. */
function keyOrigin({ origin, model }: Chosen): string {
  if (origin.type === "environment") return `The key came from ${origin.variable}.`;
  if (origin.type === "models.yml")
    return `The key came from models.yml${origin.variable === undefined ? "" : ` (${origin.variable})`}.`;
  if (origin.type === "stored-key" || origin.type === "stored-login")
    return `It was the stored ${origin.type === "stored-key" ? "key" : "login"} of ${model.provider}. Store another one: ralph login ${model.provider}`;
  return origin.type === "command-line"
    ? "The key came from --api-key."
    : `The credential came from ${origin.type}, for ${model.provider}.`;
}
