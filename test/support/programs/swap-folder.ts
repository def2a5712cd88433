import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";

// Swaps a folder for a link to another one and back until it is killed, at moments nobody can foresee. Arguments: folder, other
// folder. What somebody else makes in its place meanwhile is taken away, what somebody removes is made again.
const [folder = "", other = ""] = process.argv.slice(2);
process.stdout.write("swapping\n");
for (;;) {
  // Mostly too short for anything to be done in peace, sometimes long enough for all of it.
  stay(Math.random() < 0.3 ? 40_000 : 1000);
  attempt(() => renameSync(folder, `${folder}.kept`));
  attempt(() => symlinkSync(other, folder));
  stay(200);
  attempt(() => rmSync(folder, { recursive: true }));
  attempt(() => renameSync(`${folder}.kept`, folder));
  attempt(() => mkdirSync(folder, { recursive: true }));
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // Somebody was faster; the next round is another try.
  }
}

function stay(longestMicroseconds: number): void {
  const end = performance.now() + (Math.random() * longestMicroseconds) / 1000;
  while (performance.now() < end);
}
