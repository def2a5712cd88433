import type { RecordingHeader } from "../../protocol/recordings.ts";
import { EXIT } from "../exit-codes.ts";
import { descriptorOutput, print } from "../output.ts";
import { describeDivergence } from "../recording/divergence.ts";
import { environmentDigest } from "../recording/environment-digest.ts";
import { SAID_AGAIN } from "../recording/fork-flags.ts";
import { type Played, playRun } from "../recording/play-run.ts";
import type { Ending } from "../recording/player.ts";
import { type Recording, readRecording } from "../recording/read-recording.ts";
import { SILENCE } from "../recording/silence.ts";
import { thenContext } from "../recording/then-context.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { openSecrets } from "../secrets/open-secrets.ts";

/** `ralph replay FILE`: a recorded run again, without network, tools or files, and where it differs. */
export async function replay(context: RunContext, version: string): Promise<number> {
  const [path, ...others] = context.arguments.words;
  if (path === undefined || others.length > 0) return refuse(context, "Name one recording: ralph replay FILE");
  const problem = flagProblem(context);
  if (problem !== undefined) return refuse(context, problem);
  const secrets = await openSecrets(context);
  const read = await readRecording(path, (value) => secrets?.restore(value) ?? value);
  if (!read.ok) return refuse(context, read.message);
  const { recording } = read;
  const test = flagText(context, "save-test");
  if (test !== undefined) {
    const { saveTest } = await import("../recording/save-test.ts");
    return saveTest(context, { path, folder: test, recording });
  }
  if (hasFlag(context, "fork")) {
    const { forkRun } = await import("../recording/fork-run.ts");
    return forkRun(context, { recording, secrets, version, ...wishes(context) });
  }
  const isCheck = hasFlag(context, "check");
  const output = isCheck ? SILENCE : descriptorOutput(1, () => {});
  const note = isCheck ? () => {} : context.note;
  const played = await playRun(thenContext(context, recording.header), {
    recording,
    secrets,
    output,
    note,
    ...wishes(context),
  });
  if (typeof played === "string") return refuse(context, played);
  return tellEnding(context, { recording, version, isCheck, played });
}

function flagProblem(context: RunContext): string | undefined {
  const until = flagText(context, "until");
  if (until !== undefined && !/^[1-9]\d{0,5}$/.test(until))
    return `--until needs the number of a turn, not "${until}".`;
  const isFork = hasFlag(context, "fork");
  const isOther = ["prompt", "model"].some((name) => hasFlag(context, name));
  const stray = ["prompt", "model", ...SAID_AGAIN].find((name) => hasFlag(context, name));
  if (!isFork && stray !== undefined) return `--${stray} only means something together with --fork.`;
  if (isFork && !isOther) return "Say what is to be different: --fork --prompt TEXT, or --fork --model MODEL.";
  const ways = ["fork", "check", "save-test"].filter((name) => hasFlag(context, name));
  return ways.length > 1 ? `--${ways[0]} and --${ways[1]} are two different things. Give one of them.` : undefined;
}

function wishes(context: RunContext): { until?: number } {
  const until = flagText(context, "until");
  return until === undefined ? {} : { until: Number(until) };
}

interface ToTell {
  recording: Recording;
  version: string;
  isCheck: boolean;
  played: Played;
}

function tellEnding(context: RunContext, { recording, version, isCheck, played: { ending } }: ToTell): number {
  const { header } = recording;
  if (ending.type === "diverged") {
    const lines = describeDivergence(ending.divergence, (digest) => textIn(recording, digest)).split("\n");
    const [first = ""] = lines;
    if (isCheck) context.note(`differs: ${first}`);
    else for (const line of [...lines, ...hints(context, header, version)]) context.note(line);
    return EXIT.failed;
  }
  const line = endingLine(ending);
  if (isCheck) print(`same: ${line}\n`);
  else if (ending.type !== "complete") context.note(line);
  return EXIT.done;
}

function endingLine(ending: Exclude<Ending, { type: "diverged" }>): string {
  if (ending.type === "complete") return "the whole run, byte for byte.";
  return ending.type === "until"
    ? `Stopped after turn ${ending.turn}, as asked.`
    : `The recording ends in turn ${ending.turn}: the run was killed, or the recording reached its bound. Up to there it is the same.`;
}

/** What else is not as it was. */
function hints(context: RunContext, header: RecordingHeader, version: string): string[] {
  return [
    ...(header.ralph === version ? [] : [`It was recorded with Ralph ${header.ralph}; this is ${version}.`]),
    ...(header.environment === environmentDigest(context.environment)
      ? []
      : ["The environment is not the recorded one (variables like LANG, TERM, RALPH_…)."]),
  ];
}

/** The text of a part of a request, from whichever line has it. */
function textIn(recording: Recording, digest: string): string | undefined {
  for (let index = 0; index < recording.length; index++) {
    const entry = recording.entry(index);
    if (entry.type === "request" && Object.hasOwn(entry.texts, digest)) return entry.texts[digest];
  }
  return undefined;
}

function refuse(context: RunContext, message: string): number {
  context.note(message);
  return EXIT.usage;
}
