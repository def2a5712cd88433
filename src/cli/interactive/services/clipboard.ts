import type { PastedPicture } from "../../../interactive/services.ts";
import type { RunContext } from "../../run-context.ts";

const HELPER_MS = 5000;
const MOST_BYTES = 20_000_000;
/** Terminals take no more in one sequence. */
const MOST_SEQUENCE = 100_000;

/** Programs that put text on the clipboard, with what must be set for them to make sense. */
const COPIERS: readonly { argv: readonly string[]; needs?: string }[] = [
  { argv: ["wl-copy"], needs: "WAYLAND_DISPLAY" },
  { argv: ["xclip", "-selection", "clipboard"], needs: "DISPLAY" },
  { argv: ["xsel", "--clipboard", "--input"], needs: "DISPLAY" },
  { argv: ["pbcopy"] },
];

const PICTURES: readonly { argv: readonly string[]; needs?: string }[] = [
  { argv: ["wl-paste", "--no-newline", "--type", "image/png"], needs: "WAYLAND_DISPLAY" },
  { argv: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"], needs: "DISPLAY" },
  { argv: ["pngpaste", "-"] },
];

/** By a program of the desktop and by the terminal itself, which also works over SSH. */
export async function copyText(
  { environment, cwd }: RunContext,
  text: string,
  write: (sequence: string) => void,
): Promise<boolean> {
  const encoded = Buffer.from(text).toString("base64");
  const isShort = encoded.length <= MOST_SEQUENCE;
  if (isShort) write(`\x1b]52;c;${encoded}\x07`);
  const copier = available(COPIERS, environment);
  if (copier === undefined) return isShort;
  const { runProcess } = await import("../../../system/run-process.ts");
  // What holds a clipboard stays behind to serve it.
  const running = runProcess({
    argv: copier,
    cwd,
    environment,
    stdin: text,
    deadlineMs: HELPER_MS,
    endLeftovers: false,
  });
  const { outcome } = await running.result;
  return isShort || (outcome.type === "exited" && outcome.code === 0);
}

/** Undefined where there is none, or nothing here can read one. */
export async function pastePicture({ environment, cwd }: RunContext): Promise<PastedPicture | undefined> {
  const reader = available(PICTURES, environment);
  if (reader === undefined) return undefined;
  const { runProcess } = await import("../../../system/run-process.ts");
  const pieces: Buffer[] = [];
  let length = 0;
  const stop = new AbortController();
  const running = runProcess({
    argv: reader,
    cwd,
    environment,
    deadlineMs: HELPER_MS,
    signal: stop.signal,
    onOutput({ stream, bytes }) {
      if (stream !== "stdout") return;
      length += bytes.byteLength;
      if (length > MOST_BYTES) stop.abort();
      else pieces.push(Buffer.from(bytes));
    },
  });
  const { outcome } = await running.result;
  if (outcome.type !== "exited" || outcome.code !== 0 || length === 0) return undefined;
  const { preparePicture } = await import("../../../tools/prepare-picture.ts");
  const picture = await preparePicture(Buffer.concat(pieces));
  return picture.ok ? { mediaType: picture.mediaType, data: picture.data } : undefined;
}

function available(rows: typeof COPIERS, environment: RunContext["environment"]): readonly string[] | undefined {
  const path = environment.PATH ?? "";
  return rows.find(({ argv, needs }) => {
    const [program = ""] = argv;
    return (needs === undefined || environment[needs] !== undefined) && Bun.which(program, { PATH: path }) !== null;
  })?.argv;
}
