import { type CappedOutput, outputText } from "../system/capped-output.ts";

/** What a program wrote, as text a model can read: no colours, no cursor movements, no binary. */
export function readableOutput(output: CappedOutput): string {
  return readableText(outputText(output), output.totalBytes);
}

export function readableText(raw: string, totalBytes: number): string {
  const text = Bun.stripANSI(raw).replaceAll("\r\n", "\n");
  const strange = text.match(STRANGE)?.length ?? 0;
  if (strange > text.length * BINARY_SHARE) return `[binary output, ${totalBytes} bytes]`;
  return text.replace(STRANGE, "�");
}

/** Both streams within one budget: the shorter is kept whole if it can be, the longer loses its middle. */
export function shareBudget(stdout: CappedOutput, stderr: CappedOutput, budget: number): [CappedOutput, CappedOutput] {
  const half = Math.floor(budget / 2);
  const [first, second] = [stdout.totalBytes, stderr.totalBytes];
  if (first + second <= budget) return [stdout, stderr];
  if (first <= half) return [stdout, shorten(stderr, budget - first)];
  if (second <= half) return [shorten(stdout, budget - second), stderr];
  return [shorten(stdout, half), shorten(stderr, half)];
}

const BINARY_SHARE = 0.1;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const STRANGE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/g;

function shorten(output: CappedOutput, cap: number): CappedOutput {
  const half = Math.floor(cap / 2);
  const { head, totalBytes } = output;
  const end = output.droppedBytes > 0 ? output.tail : head;
  return {
    head: head.subarray(0, half),
    tail: end.subarray(Math.max(0, end.length - half)),
    totalBytes,
    droppedBytes: totalBytes - Math.min(half, head.length) - Math.min(half, end.length),
  };
}
