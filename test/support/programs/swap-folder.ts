import { renameSync, symlinkSync, unlinkSync } from "node:fs";

// Swaps a folder for a link to another one and back until it is killed, at moments nobody can foresee. Arguments: folder, other
// folder.
const [folder = "", other = ""] = process.argv.slice(2);
process.stdout.write("swapping\n");
for (;;) {
  stay(300);
  renameSync(folder, `${folder}.kept`);
  symlinkSync(other, folder);
  stay(50);
  unlinkSync(folder);
  renameSync(`${folder}.kept`, folder);
}

function stay(longestMicroseconds: number): void {
  const end = performance.now() + (Math.random() * longestMicroseconds) / 1000;
  while (performance.now() < end);
}
