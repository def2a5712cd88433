// The floor for streamed Markdown: every delta is printed as it comes.
import { playDeltas } from "../markdown-deltas.ts";

await playDeltas((delta) => {
  process.stdout.write(delta);
});
