import { isEffort } from "../../protocol/effort.ts";
import type { AcpAgent } from "./acp-host.ts";

/** What a person chose in the editor. A text says why it cannot be chosen. */
export async function chooseOption(agent: AcpAgent, option: string, value: unknown): Promise<string | undefined> {
  if (typeof value !== "string") return `${option} is chosen by a text.`;
  const answer = await chosen(agent, option, value);
  if (answer === undefined) return `There is no option "${option}" with a value "${value}".`;
  return answer.ok ? undefined : answer.error.message;
}

async function chosen(agent: AcpAgent, option: string, value: string) {
  if (option === "mode") return agent.call("set_mode", { mode: value });
  if (option === "model") return agent.call("set_model", { model: value });
  return option === "effort" && isEffort(value) ? agent.call("set_effort", { effort: value }) : undefined;
}
