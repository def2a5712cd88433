import type { ResolvedModel } from "../../models/resolve-model.ts";
import type { AgentOutcome } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { ModelErrorKind } from "../../protocol/model-errors.ts";
import { preconnect } from "../../system/preconnect.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseModel } from "../model-choice.ts";
import { print } from "../output.ts";
import type { Chosen } from "../print/coder-options.ts";
import type { FaceRun } from "../print/face.ts";
import { faceName, faceProblem } from "../print/face-choice.ts";
import { FACES } from "../print/faces.ts";
import { isResuming, type OpenedSession, openRunSession, type RunSession } from "../print/open-session.ts";
import type { PromptTask } from "../print/prompt-task.ts";
import { type Prompt, readPrompt } from "../print/read-prompt.ts";
import { type RunChoices, runChoices } from "../print/run-choices.ts";
import { proxyFor } from "../proxy.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { type OpenSecrets, openSecrets } from "../secrets/open-secrets.ts";
import { tellProblems } from "./config.ts";

/** `ralph -p`: one prompt, one answer. A prompt that is given need not be read; it goes on from a place that was chosen. */
export async function ask(context: RunContext, version: string, given?: UserMessage): Promise<number> {
  tellProblems(context);
  const meant = context.settings.problems.find(({ origin }) => origin.layer === "environment");
  if (meant !== undefined)
    return refuse(context, `Correct or unset ${meant.origin.place} first: it is meant for this run.`);
  if (hasFlag(context, "default") && flagText(context, "mpreset") === undefined)
    return refuse(context, "--default only means something together with --mpreset NAME.");
  if (hasFlag(context, "no-session") && isResuming(context))
    return refuse(
      context,
      "--no-session keeps nothing, so there is nothing to go on with: leave it out, or -c, -r and --fork.",
    );
  const problem = faceProblem(context) ?? recordProblem(context);
  if (problem !== undefined) return refuse(context, problem);
  if (flagText(context, "mode") === "rpc") return (await import("../rpc/open-rpc.ts")).openRpc(context, version);
  if (flagText(context, "mode") === "acp") return (await import("../acp/acp.ts")).acp(context, version);
  const prompt: Prompt = given === undefined ? await readPrompt(context) : { ok: true, message: given };
  if (!prompt.ok) return refuse(context, prompt.message);
  if (await isConversation(context)) {
    const { openInteractive } = await import("../interactive/open-interactive.ts");
    return openInteractive(context, version, prompt.message);
  }
  if (prompt.message === undefined && hasFlag(context, "print"))
    return refuse(context, 'There is no prompt. Write it behind -p ("…") or pipe it in.');
  if (prompt.message === undefined && !hasFlag(context, "default"))
    return (await import("./welcome.ts")).welcome(context, version);
  // The disk works on the session while the model is looked up.
  const secrets = await openSecrets(context);
  const opening = openRunSession(context, { cwd: context.cwd, seal: secrets?.seal });
  const resumed = isResuming(context) ? await opening : undefined;
  if (resumed?.ok === false) return refuseSession(context, resumed);
  const code = await askModel(context, {
    message: prompt.message,
    more: prompt.more,
    later: prompt.later,
    opening: given === undefined ? opening : opening.then(fromChosenPlace),
    known: resumed?.known ?? {},
    version,
    secrets,
  });
  const opened = await opening;
  if (opened.ok) await opened.session.close();
  return code;
}

/** Nothing broke off there. */
function fromChosenPlace(opened: OpenedSession): OpenedSession {
  return opened.ok ? { ...opened, brokenOff: undefined } : opened;
}

/** Somebody sits at a terminal that can be drawn in, and asked for nothing else. */
async function isConversation(context: RunContext): Promise<boolean> {
  if (ONE_SHOT_FLAGS.some((name) => hasFlag(context, name))) return false;
  if (context.environment.TERM === "dumb" && !hasFlag(context, "plain")) return false;
  // Loading it takes longer than half a start.
  const { isatty } = await import("node:tty");
  return isatty(0) && isatty(1);
}

/** Whoever gives one of these wants one answer. */
const ONE_SHOT_FLAGS = ["print", "json", "mode", "default", "record", "output-schema", "output-format", "input-format"];

/** A recording begins with the first word, so that it has everything the model saw. */
function recordProblem(context: RunContext): string | undefined {
  if (!hasFlag(context, "record")) return undefined;
  const mode = flagText(context, "mode") ?? "";
  if (["rpc", "acp"].includes(mode)) return `--record records one-shot runs: leave out --mode ${mode}.`;
  return isResuming(context) ? "--record begins with a new session: leave out -c, -r and --fork." : undefined;
}

interface Asking {
  message?: UserMessage | undefined;
  more?: UserMessage[] | undefined;
  later?: PromptTask["later"];
  opening: Promise<OpenedSession>;
  known: RunSession["known"];
  version: string;
  secrets: OpenSecrets | undefined;
}

async function askModel(context: RunContext, asking: Asking): Promise<number> {
  const { message, more, later, opening, known, version, secrets } = asking;
  const chosen = await chooseModel(context, known);
  for (const line of chosen.notes) context.note(line);
  if (!chosen.ok) return refuseModel(context, chosen);
  // The connection is made while the rest is loaded.
  if (proxyFor(chosen.model.baseUrl, context.environment) === undefined) preconnect(chosen.model.baseUrl);
  const forgotten = hasFlag(context, "default") ? await rememberProfile(context) : undefined;
  if (forgotten !== undefined) return refuse(context, forgotten);
  if (message === undefined) return EXIT.done;
  const task = await taskOf(context, { chosen, message, known });
  if (typeof task === "string") return refuse(context, task);
  const opened = await opening;
  if (!opened.ok) return refuseSession(context, opened);
  const { answerPrompt } = await import("../print/answer-prompt.ts");
  const answered = await answerPrompt(context, { ...task, ...opened, more, later }, { version, secrets });
  return typeof answered === "string" ? refuse(context, answered) : answered;
}

interface Wanted {
  chosen: Chosen;
  message: UserMessage;
  known: RunSession["known"];
}

/** The rest of what the run needs, or why it cannot begin. */
async function taskOf(context: RunContext, { chosen, message, known }: Wanted): Promise<Task | string> {
  const { model } = chosen;
  for (const part of message.content) {
    const needed = part.type === "text" ? "text" : part.mediaType === "application/pdf" ? "pdf" : "image";
    if (!model.input.includes(needed))
      return `${model.provider}/${model.id} does not take ${needed} input. Use another --model: ralph models`;
  }
  const choices = await runChoices(context, known.systemPrompt);
  return typeof choices === "string" ? choices : { chosen, message, ...choices };
}

type Task = RunChoices & Pick<Wanted, "chosen" | "message">;

/** There was none. */
const REFUSED_RUN: FaceRun = {
  cwd: "",
  version: "",
  permissionMode: "default",
  now: () => 0,
  startedAt: 0,
  randomId: () => crypto.randomUUID(),
};

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Nothing was asked. Who reads lines still gets the result line. */
function refuse(context: RunContext, message: string, kind: ModelErrorKind = "invalid-request"): number {
  context.note(message);
  if (faceName(context) !== "text") {
    const output = { write: print, drained: async () => {}, isClosed: false, held: 0, problem: undefined };
    const outcome: AgentOutcome = { type: "failed", error: { kind, message, retryable: false } };
    const face = FACES[faceName(context)]({ output, note: context.note, isTerminal: () => false, run: REFUSED_RUN });
    face.show({ type: "agent-end", outcome, totals: { turns: 0, usage: NO_USAGE } });
  }
  return kind === "credentials" ? EXIT.credentials : EXIT.usage;
}

/** A session that cannot be had is no mistake in the words of the command, unless it was named there. */
function refuseSession(context: RunContext, { message, code }: Extract<OpenedSession, { ok: false }>): number {
  refuse(context, message);
  return code;
}

function refuseModel(context: RunContext, { problem }: Extract<ResolvedModel, { ok: false }>): number {
  const noKey = problem.type === "no-credential" || problem.type === "no-model";
  return refuse(context, problem.message, noKey ? "credentials" : "invalid-request");
}

/** `--mpreset NAME --default` keeps the profile for later runs. Returns what went wrong, if anything did. */
async function rememberProfile(context: RunContext): Promise<string | undefined> {
  const { writeYamlValue } = await import("../settings/write-setting.ts");
  const name = flagText(context, "mpreset");
  const path = `${context.paths.config}/config.yml`;
  const problem = await writeYamlValue({ path, keys: ["modelProfile", "default"], value: name });
  if (problem === undefined) context.note(`The profile ${name} is used from now on (${path}).`);
  return problem;
}
