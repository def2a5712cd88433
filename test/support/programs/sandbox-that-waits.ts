// Has a sandbox ready for a command and does not run it. Its parent kills it.
import { createSandbox, type SandboxOptions } from "../../../src/permissions/sandbox/run-sandboxed.ts";

const options: SandboxOptions = JSON.parse(process.argv[2] ?? "");
const argv = ["/bin/sh", "-c", "echo ran > ran.txt"];
await createSandbox(options).wrap({ argv, cwd: options.workspace, environment: {}, network: false });
process.stdout.write("waits\n");
await Bun.sleep(60_000);
