import { EFFORTS } from "../../protocol/effort.ts";
import { setEffort, setMode, setModel } from "./agent-commands.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";
import { openModelPicker } from "./model-picker.ts";

// Commands that keys stand for. They can be written as well.

export const KEY_COMMANDS: readonly SlashCommand[] = [
  { name: "next-model", usage: "", description: "the next model that can be used", run: (host) => cycleModel(host, 1) },
  { name: "previous-model", usage: "", description: "the one before", run: (host) => cycleModel(host, -1) },
  {
    name: "temporary-model",
    usage: "",
    description: "choose a model that is not kept when the session is resumed",
    run: (host) =>
      openModelPicker(host, { title: "Model for now", onModel: (selector) => setModel(host, selector, true) }),
  },
  { name: "next-effort", usage: "", description: "the next level of effort", run: cycleEffort },
  { name: "plan", usage: "", description: "plan mode on or off", run: togglePlan },
];

async function cycleModel(host: CommandHost, step: number): Promise<void> {
  const usable = (await host.services.listModels()).filter(({ problem }) => problem === undefined);
  const at = usable.findIndex(({ selector }) => selector === host.state().model);
  const next = usable[(at + step + usable.length) % usable.length];
  if (next === undefined || usable.length < 2) return host.hint("there is no other model");
  await setModel(host, next.selector);
}

async function cycleEffort(host: CommandHost): Promise<void> {
  const at = EFFORTS.indexOf(host.state().effort);
  const next = EFFORTS[(at + 1) % EFFORTS.length];
  if (next !== undefined) await setEffort(host, next);
}

async function togglePlan(host: CommandHost): Promise<void> {
  await setMode(host, host.state().mode === "plan" ? "default" : "plan");
}
