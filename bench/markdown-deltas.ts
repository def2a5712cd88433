// An answer in Markdown as a model streams it: words with all that an answer has in it, at a fixed pace.

const PARAGRAPH =
  "The **parser** reads `bytes` and gives *events*; see [the page](https://example.org/keys) for what each of them means and when it comes.\n\n";
const LIST = "- one thing that is said about it\n- another thing, with `code` in it\n  - and a smaller one\n\n";
const CODE =
  '```ts\nexport function step(state: State, bytes: Uint8Array): Step {\n  // what is open goes first\n  return { state, events: ["key", 42] };\n}\n```\n\n';
const TABLE = "| name | amount | note |\n|---|--:|---|\n| apples | 12 | round and red |\n| pears | 3 | green |\n\n";
const SECTION = `## A heading\n\n${PARAGRAPH}${LIST}${PARAGRAPH}${CODE}${TABLE}${PARAGRAPH}`;

export const DELTA_COUNT = 20_000;
const PER_BATCH = 20;
const BATCH_MS = 5;

export function markdownDeltas(): string[] {
  const pieces = SECTION.match(/\s*\S{1,5}|\s+/g) ?? [];
  return Array.from({ length: DELTA_COUNT }, (_, index) => pieces[index % pieces.length] ?? "");
}

/** 4,000 deltas a second, in batches as a socket gives them. */
export async function playDeltas(onDelta: (delta: string) => void): Promise<void> {
  const deltas = markdownDeltas();
  for (let at = 0; at < deltas.length; at += PER_BATCH) {
    for (const delta of deltas.slice(at, at + PER_BATCH)) onDelta(delta);
    await Bun.sleep(BATCH_MS);
  }
}
