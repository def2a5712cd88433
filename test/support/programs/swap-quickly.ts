import { renameSync, symlinkSync } from "node:fs";

// Swaps a folder for a link to another one and back, as fast as it can, until it is killed. Arguments: folder, other folder.
const [folder = "", other = ""] = process.argv.slice(2);
symlinkSync(other, `${folder}.link`);
process.stdout.write("swapping\n");
for (;;) {
  renameSync(folder, `${folder}.kept`);
  renameSync(`${folder}.link`, folder);
  renameSync(folder, `${folder}.link`);
  renameSync(`${folder}.kept`, folder);
}
