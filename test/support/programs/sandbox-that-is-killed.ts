// Runs a sandboxed command that never ends, and says so. Its parent kills it.
import { createSandbox, type SandboxOptions } from "../../../src/permissions/sandbox/run-sandboxed.ts";
import { runProcess } from "../../../src/system/run-process.ts";

const options: SandboxOptions = JSON.parse(process.argv[2] ?? "");
const mark = process.argv[3] ?? "";
const environment = { PATH: "/usr/bin:/bin" };
const argv = ["/bin/bash", "-c", `(setsid sleep ${mark} &); echo running; sleep ${mark}`];
const wrapped = await createSandbox(options).wrap({ argv, cwd: options.workspace, environment, network: false });
if (!wrapped.ok) throw new Error(wrapped.message);
runProcess({ ...wrapped, cwd: options.workspace, onOutput: ({ bytes }) => process.stdout.write(bytes) });
