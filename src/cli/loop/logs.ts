import { connectControl } from "../../loop/control/connect-control.ts";
import { iterationLog } from "../../loop/state/loop-folder.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { bytes as sizeOf } from "../sessions/wording.ts";
import { agentText } from "./agent-text.ts";
import { type FoundLoop, findLoop } from "./find-loop.ts";
import { followLog, type LogPlace } from "./follow-log.ts";
import { iterationsIn, logFiles, readPart } from "./log-files.ts";

/** Of a long log the end is shown. */
const MOST_BYTES = 1024 * 1024;

/** `ralph logs TASK [N]`: what the agent of an iteration printed, the newest where none is named. */
export async function logs(context: RunContext): Promise<number> {
  const [word, wanted, extra] = context.arguments.words;
  if (extra !== undefined) return refuse(context, `ralph logs does not take "${extra}". See: ralph help logs`);
  if (wanted !== undefined && !/^[1-9]\d*$/.test(wanted))
    return refuse(context, `"${wanted}" is no number of an iteration: ralph logs TASK 3`);
  const found = await findLoop(context, word);
  if (!found.ok) return refuse(context, found.message);
  const { loop } = found;
  const numbers = iterationsIn(loop.folder);
  const number = wanted === undefined ? numbers.at(-1) : Number(wanted);
  if (number === undefined || !numbers.includes(number)) {
    context.note(missing(loop, numbers));
    return EXIT.failed;
  }
  const place = showEnd(context, loop, number);
  if (hasFlag(context, "follow")) await followRunning(context, loop, place);
  return EXIT.done;
}

/** Gives back where to go on. */
function showEnd(context: RunContext, { folder }: FoundLoop, iteration: number): LogPlace {
  const pieces: string[] = [];
  let place: LogPlace | undefined;
  let room = MOST_BYTES;
  let leftOut = 0;
  for (const file of logFiles(folder, iteration).reverse()) {
    const part = readPart(file, { start: 0, most: room });
    if (part === undefined) continue;
    place ??= { iteration, file, end: part.end };
    room -= part.bytes.length;
    leftOut += part.leftOut;
    pieces.unshift(new TextDecoder().decode(part.bytes));
  }
  const text = pieces.join("");
  // What is cut begins with a whole line.
  const shown = leftOut > 0 ? text.slice(text.indexOf("\n") + 1) : text;
  print(agentText(shown.endsWith("\n") || shown === "" ? shown : `${shown}\n`));
  if (leftOut > 0)
    context.note(`Only the last ${sizeOf(MOST_BYTES)} are shown. The whole log: ${iterationLog(folder, iteration)}`);
  return place ?? { iteration, file: iterationLog(folder, iteration), end: 0 };
}

/** Until the loop ends or somebody stops it. */
async function followRunning(context: RunContext, loop: FoundLoop, place: LogPlace): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const connected = await connectControl({
    directory: context.paths.sockets,
    name: loop.name,
    clock: context.clock,
    onClosed: () => ended.resolve(),
  });
  if (!connected.ok) {
    context.note(`${loop.name} is not running, so nothing more comes.`);
    return;
  }
  const follower = followLog(loop.folder, place, (text) => {
    if (!print(agentText(text))) ended.resolve();
  });
  await ended.promise;
  follower.stop();
  connected.connection.close();
}

function missing({ name }: FoundLoop, numbers: readonly number[]): string {
  const [first] = numbers;
  if (first === undefined) return `${name} has no logs yet.`;
  return `${name} has no log of that iteration. There are: ${first} to ${numbers.at(-1)}.`;
}

function refuse(context: RunContext, message: string): number {
  context.note(message);
  return EXIT.usage;
}
