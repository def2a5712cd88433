import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import { runInteractive } from "../../interactive/run-interactive.ts";
import type { AgentFace } from "../../interactive/services.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import { createLiveAgents, type LiveAgents } from "../agents/live-agents.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { createServices } from "./create-services.ts";
import { giveBackOnEnd } from "./give-back.ts";
import { loadKeys } from "./key-wishes.ts";
import { lateAgent } from "./late-agent.ts";
import { looksOf } from "./looks.ts";
import { openWritten, type Written } from "./services/written.ts";
import { createTellNotes } from "./tell-notes.ts";
import { openTerminal, type ProcessTerminal } from "./terminal.ts";
import { withAttachments } from "./with-attachments.ts";

/** `ralph` in a terminal: a conversation until the person leaves. The prompt is there before anything is looked up. */
export async function openInteractive(
  given: RunContext,
  version: string,
  message: UserMessage | undefined,
): Promise<number> {
  const notes = createTellNotes();
  const wire = hasFlag(given, "debug") ? (await import("./wire-log.ts")).openWireLog(given) : undefined;
  const context: RunContext = { ...given, note: notes.tell, ...(wire === undefined ? {} : { trace: wire.add }) };
  const looks = looksOf({
    environment: context.environment,
    theme: context.settings.values.theme,
    isPlain: hasFlag(context, "plain") || context.settings.values.screenReader === true,
  });
  let run: InteractiveRun | undefined;
  const terminal = openTerminal(context.clock, () => run?.stop());
  const agents = createLiveAgents(context, {
    version,
    mayRestart: () => run?.mayRestart() ?? true,
    dress: (agent) => withAttachments(agent, { cwd: context.cwd, own: context.paths }),
  });
  const written = openWritten(context, !hasFlag(context, "no-session"));
  const face = Promise.withResolvers<AgentFace>();
  const trust = Promise.withResolvers<void>();
  // A screen reader gets a bell and no sequences.
  const write = (text: string) => void ((!looks.isPlain || text === BELL) && terminal.write(text));
  const { keys, warnings } = await loadKeys(context);
  run = await runInteractive({
    terminal,
    looks,
    agent: lateAgent(face.promise),
    services: createServices({ context, version, agents, written, isTrustKnown: trust.promise, write }),
    keys,
    greeting: [`ralph ${version} · /help shows what can be done`],
  });
  notes.showIn(run);
  for (const warning of warnings) context.note(warning);
  if (wire !== undefined) context.note(`What goes over the wire is written to ${wire.path}.`);
  const stopListening = giveBackOnEnd({ run, terminal, isPlain: looks.isPlain, settled: written.settled });
  const conversation = { context, run, agents, written, terminal };
  const begun = begin(conversation, { message, onTrust: trust.resolve, onFace: face.resolve });
  await run.ended;
  const signalled = stopListening();
  const ending = await begun;
  const code = await leave(conversation, ending, signalled);
  await wire?.settled();
  return ending === "loop" ? (await import("../loop/demo/demo.ts")).demo(given) : code;
}

const BELL = "\x07";

interface Conversation {
  context: RunContext;
  run: InteractiveRun;
  agents: LiveAgents;
  written: Written;
  terminal: ProcessTerminal;
}

interface Beginning {
  message: UserMessage | undefined;
  onTrust(): void;
  onFace(face: AgentFace): void;
}

type Failure = { message: string; code: number };
/** Why the conversation did not begin: it could not, or the loop is to be shown instead. */
type Ending = Failure | "loop" | undefined;

/** Opens the agent behind the prompt that is on the screen already. Gives back why there is none. */
async function begin(
  { context, run, agents, written }: Conversation,
  { message, onTrust, onFace }: Beginning,
): Promise<Ending> {
  const isOver = settledFlag(run.ended);
  await (await import("./trust-question.ts")).askForTrust(context, run);
  onTrust();
  const { startWithModel } = await import("./start-with-model.ts");
  const opened = isOver() ? undefined : await startWithModel(context, run, agents);
  if (opened === "loop") {
    run.stop();
    return "loop";
  }
  if (opened === undefined || !opened.ok || isOver()) {
    if (opened?.ok === true) await opened.agent.close();
    run.stop();
    return opened?.ok === false && !isOver() ? opened : undefined;
  }
  const { agent } = opened;
  run.adopt(agent);
  onFace(agent.face);
  if (message === undefined) return undefined;
  written.storePrompt(message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  const answer = await agents.prompt(message);
  if (!answer.ok) context.note(answer.error.message);
  return undefined;
}

function settledFlag(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  return () => isSettled;
}

/** The last words, behind everything that was drawn. */
async function leave(
  { context, agents, written, terminal }: Conversation,
  ending: Ending,
  signalled: boolean,
): Promise<number> {
  await written.settled();
  await terminal.drained();
  terminal.close();
  if (ending === "loop") return EXIT.done;
  if (ending !== undefined) {
    process.stderr.write(`ralph: ${ending.message}\n`);
    return ending.code;
  }
  const session = agents.current()?.session;
  if (session?.path !== undefined && session.leafId !== null && !hasFlag(context, "no-session"))
    print(`To go on: ralph -r ${session.header.id}\n`);
  return signalled ? EXIT.interrupted : EXIT.done;
}
