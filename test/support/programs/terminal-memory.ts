// Runs a program that floods its terminal and says by how much this process grew: alone, because other tests leave garbage.
import { openInteractive } from "../../../src/loop/runners/interactive-session.ts";

const SIZE = 8_000_000;
const opened = await openInteractive({
  argv: [
    "sh",
    "-c",
    `yes 'a line of a program that talks too much' | head -c ${SIZE}; echo; echo the end of it; read answer`,
  ],
  root: "/",
  environment: process.env,
  size: { columns: 80, rows: 24 },
});
if (!opened.ok) throw new Error(opened.message);
const before = process.memoryUsage.rss();
let highest = before;
let bytes = 0;
let tail = "";
opened.session.onBytes((piece) => {
  bytes += piece.length;
  // A terminal can lose the last bytes of a program that ends right behind them, so it waits to be let go.
  tail = `${tail}${new TextDecoder().decode(piece)}`.slice(-100);
  if (tail.includes("the end of it")) opened.session.write("\r");
  highest = Math.max(highest, process.memoryUsage.rss());
});
await opened.session.exited;
const last = (await opened.session.screen()).slice(-200);
console.log(JSON.stringify({ grown: highest - before, bytes, last }));
