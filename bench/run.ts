// `npm run bench` builds Ralph, measures it against floor programs in the same run and prints one table; `--save` keeps it in
// bench/results.md. `npm run bench -- search tool-turns` measures just these; `--no-build` takes dist/ralph as it is.
import { join } from "node:path";
import { firstRequestRow, longOutputRow, manyCallsRows, searchRow, toolTurnsRow } from "./agent-rows.ts";
import { type BenchWorld, buildRalph, openBenchWorld } from "./bench-world.ts";
import { controlSocketRow } from "./control-socket.ts";
import { faceRows } from "./face.ts";
import { loopRows } from "./loop.ts";
import { compareOpening } from "./open-session.ts";
import { permissionRows } from "./permissions.ts";
import { pageOf, type Row, tableOf } from "./rows.ts";
import { rpcRows } from "./rpc.ts";
import { deltaRows, firstByteRows, memoryRow, requestSizeRows, versionRow } from "./start-rows.ts";
import { transcriptRows } from "./transcripts.ts";
import { tuiRows } from "./tui.ts";

const SUBJECTS: Record<string, (world: BenchWorld) => Promise<Row[]>> = {
  version: versionRow,
  "first-byte": firstByteRows,
  deltas: deltaRows,
  memory: memoryRow,
  requests: requestSizeRows,
  "tool-turns": toolTurnsRow,
  "first-request": firstRequestRow,
  "many-calls": manyCallsRows,
  search: searchRow,
  "long-output": longOutputRow,
  "control-socket": controlSocketRow,
  loop: loopRows,
  tui: tuiRows,
  face: faceRows,
  rpc: rpcRows,
  "open-session": async () => [
    {
      measure: "open a session of 100,000 entries (floor: `wc -l`)",
      unit: "ms",
      pair: await compareOpening(),
      reach: 8,
    },
  ],
  transcripts: transcriptRows,
  permissions: permissionRows,
};

const given = process.argv.slice(2);
const names = given.filter((argument) => !argument.startsWith("--"));
const unknown = names.filter((name) => SUBJECTS[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no row named ${unknown.join(", ")}. There are: ${Object.keys(SUBJECTS).join(", ")}.`);
  process.exit(2);
}
if (!given.includes("--no-build") && !buildRalph()) process.exit(1);

const world = await openBenchWorld();
const rows: Row[] = [];
try {
  for (const [name, measure] of Object.entries(SUBJECTS)) {
    if (names.length === 0 || names.includes(name)) rows.push(...(await measure(world)));
  }
} finally {
  world.stop();
}
const table = tableOf(rows);
console.log(table);
if (given.includes("--save")) await Bun.write(join(import.meta.dir, "results.md"), pageOf(table));
