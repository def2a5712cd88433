// Writes the tables of docs/rpc.md anew from the tables of src/rpc.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withReference } from "./rpc-reference-page.ts";

const path = join(import.meta.dir, "../docs/rpc.md");
const page = withReference(readFileSync(path, "utf8"));
if (page === undefined) throw new Error(`${path} has no marks for the tables.`);
writeFileSync(path, page);
