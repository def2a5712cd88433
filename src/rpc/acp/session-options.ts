import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { AgentState } from "../../protocol/agent-state.ts";
import { EFFORTS } from "../../protocol/effort.ts";

// What a person may choose in the editor: mode, model, effort. Pure.

export interface ChoosableModel {
  /** `provider/id`. */
  selector: string;
  description: string;
}

export interface ChoosableMode {
  id: string;
  description: string;
}

export interface Choices {
  modes: readonly ChoosableMode[];
  models: readonly ChoosableModel[];
}

type Chosen = Pick<AgentState, "mode" | "model" | "effort">;

export function modeState({ mode }: Chosen, { modes }: Choices): SessionModeState {
  return {
    currentModeId: mode,
    availableModes: modes.map(({ id, description }) => ({ id, name: nameOf(id), description })),
  };
}

/** The modes stand here too: an editor that knows these shows no others. */
export function configOptions(chosen: Chosen, { modes, models }: Choices): SessionConfigOption[] {
  const known = models.some(({ selector }) => selector === chosen.model);
  const shown = known ? models : [{ selector: chosen.model, description: "" }, ...models];
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      currentValue: chosen.mode,
      options: modes.map(({ id, description }) => ({ value: id, name: nameOf(id), description })),
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: chosen.model,
      options: shown.map(({ selector, description }) => ({ value: selector, name: selector, description })),
    },
    {
      type: "select",
      id: "effort",
      name: "Effort",
      category: "thought_level",
      currentValue: chosen.effort,
      options: EFFORTS.map((effort) => ({ value: effort, name: nameOf(effort) })),
    },
  ];
}

function nameOf(id: string): string {
  return id.slice(0, 1).toUpperCase() + id.slice(1);
}
