import { join } from "node:path";
import type { SandboxChoice } from "../coder/command-sandbox.ts";
import type { SandboxState } from "../permissions/sandbox/probe-sandbox.ts";
import type { RunContext } from "./run-context.ts";

/** Where commands run, as the settings and `--sandbox` say. */
export function sandboxChoice(context: RunContext): SandboxChoice {
  return {
    mode: context.settings.values.sandbox ?? "auto",
    probe: () => sandboxHere(context),
    folder: join(context.paths.cache, "sandbox"),
  };
}

/** Tried once per process. */
const TRIED = new WeakMap<RunContext, Promise<SandboxState>>();

function sandboxHere(context: RunContext): Promise<SandboxState> {
  const known = TRIED.get(context) ?? tryOut(context);
  TRIED.set(context, known);
  return known;
}

async function tryOut({ memo }: RunContext): Promise<SandboxState> {
  const { probeSandbox } = await import("../permissions/sandbox/probe-sandbox.ts");
  return probeSandbox({ platform: process.platform, memo });
}
