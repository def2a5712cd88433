import { type ControlConnection, type ControlEvent, connectControl } from "../../loop/control/connect-control.ts";
import { asArray, asString } from "../../protocol/json.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import type { RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";
import { agentText } from "./agent-text.ts";
import { AttachSession } from "./attach-session.ts";
import { type AttachTerminal, openAttachTerminal } from "./attach-terminal.ts";
import { farewell, type StatusFields } from "./attach-wording.ts";
import { type FoundLoop, findLoop } from "./find-loop.ts";
import { whatNow } from "./send-wish.ts";

/** How much of what happened before is shown. */
const LINES_BEFORE = 20;

/** `ralph attach TASK`: what a loop does, as it happens. Without a terminal it only prints. */
export async function attach(context: RunContext): Promise<number> {
  const found = await findLoop(context, context.arguments.words[0]);
  if (!found.ok) {
    context.note(found.message);
    return EXIT.usage;
  }
  const attached = await open(context, found.loop);
  if (!attached.ok) {
    context.note(`${attached.message} ${whatNow(found.loop)}`);
    return EXIT.failed;
  }
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return isTerminal ? inTerminal(context, found.loop, attached) : printing(context, attached);
}

interface Attached {
  ok: true;
  connection: ControlConnection;
  status: StatusFields;
  before: string[];
  /** What happens is handed on from now on, also what happened since the status was asked for. */
  listen(onEvent: (event: ControlEvent) => void): void;
  closed: Promise<string | undefined>;
}

/** What happened before the status came is part of it; what comes behind it is kept until somebody listens. */
async function open(context: RunContext, { name }: FoundLoop): Promise<Attached | { ok: false; message: string }> {
  const closed = Promise.withResolvers<string | undefined>();
  let kept: ControlEvent[] | undefined = [];
  let hand: (event: ControlEvent) => void = (event) => kept?.push(event);
  const connected = await connectControl({
    directory: context.paths.sockets,
    name,
    clock: context.clock,
    onEvent: (event) => hand(event),
    onClosed: closed.resolve,
  });
  if (!connected.ok) return connected;
  const { connection } = connected;
  const subscribed = await connection.request("subscribe", { events: ["*"] });
  const status = await connection.request("get_status");
  kept = [];
  if (!subscribed.ok || !status.ok) {
    connection.close();
    return { ok: false, message: subscribed.ok && !status.ok ? status.message : `The loop ${name} does not answer.` };
  }
  const { recent_output: recent, ...fields } = status.result;
  return {
    ok: true,
    connection,
    status: fields,
    before: asArray(recent)
      .map((line) => asString(line) ?? "")
      .slice(-LINES_BEFORE),
    listen(onEvent) {
      hand = onEvent;
      for (const event of kept ?? []) onEvent(event);
      kept = undefined;
    },
    closed: closed.promise,
  };
}

async function printing(
  context: RunContext,
  { connection, status, before, listen, closed }: Attached,
): Promise<number> {
  const left = Promise.withResolvers<"left">();
  const stopListening = onStopSignal(() => left.resolve("left"));
  let fields = status;
  const show = (line: string) => {
    if (!print(`${agentText(line)}\n`)) left.resolve("left");
  };
  for (const line of before) show(line);
  listen(({ type, data }) => {
    if (type === "output") show(asString(data.line) ?? "");
    else if (type === "state_change") fields = { ...fields, ...data };
  });
  const end = await Promise.race([left.promise, closed.then((reason) => ({ reason }))]);
  stopListening();
  connection.close();
  if (end === "left") return EXIT.done;
  const { text, isWell } = farewell(fields, end.reason);
  context.note(text);
  return isWell ? EXIT.done : EXIT.failed;
}

async function inTerminal(context: RunContext, loop: FoundLoop, first: Attached): Promise<number> {
  const left = Promise.withResolvers<"left">();
  const leave = () => left.resolve("left");
  const stopListening = onStopSignal(leave);
  let session: AttachSession | undefined;
  const terminal = openAttachTerminal({
    isDumb: (context.environment.TERM ?? "dumb") === "dumb",
    onTyped: (text) => session?.onTyped(text),
    onResize: () => session?.onResize(),
    onGone: leave,
  });
  let lastWords = "";
  const finish = (code: number, text: string) => {
    lastWords = text;
    return code;
  };
  try {
    let attached = first;
    for (;;) {
      session = startSession(context, terminal, { attached, leave });
      const end = await Promise.race([left.promise, attached.closed.then((reason) => ({ reason }))]);
      session.close();
      attached.connection.close();
      if (end === "left") return finish(EXIT.done, `Left; the loop ${loop.name} goes on.`);
      terminal.leaveProgram();
      // A terminal that was too slow is attached again: the loop is still there.
      const again = end.reason === undefined ? undefined : await open(context, loop);
      const { text, isWell } = farewell(session.status, end.reason);
      if (again?.ok !== true) return finish(isWell ? EXIT.done : EXIT.failed, text);
      session.note(`(some output was left out: ${end.reason})`);
      attached = again;
    }
  } finally {
    await terminal.close();
    stopListening();
    if (lastWords !== "") context.note(lastWords);
  }
}

function startSession(
  { clock }: RunContext,
  terminal: AttachTerminal,
  { attached, leave }: { attached: Attached; leave: () => void },
): AttachSession {
  const { connection, status, before, listen } = attached;
  const session = new AttachSession({ connection, terminal, clock, status, leave });
  for (const line of before) session.showLine(line);
  listen((event) => session.onEvent(event));
  return session;
}
