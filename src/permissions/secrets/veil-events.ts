import type { AgentEvent } from "../../protocol/agent-events.ts";
import { mapStrings } from "./map-strings.ts";
import type { Obfuscator } from "./obfuscate.ts";

/** Output of a command is held back until its line is complete, because a secret may be cut; never more than this. */
const MOST_HELD = 64 * 1024;

/** The same events with placeholders instead of secrets, for programs and files that read them. People see the real ones. */
export function veilEvents(obfuscator: Obfuscator, emit: (event: AgentEvent) => void): (event: AgentEvent) => void {
  const { hide } = obfuscator.begin();
  const held = new Map<string, string>();
  const tell = (toolCallId: string, text: string) => {
    if (text !== "") emit({ type: "tool-update", toolCallId, text: hide(text) });
  };
  return (event) => {
    if (event.type === "tool-update") {
      const text = (held.get(event.toolCallId) ?? "") + event.text;
      const end = text.length > MOST_HELD ? text.length : text.lastIndexOf("\n") + 1;
      held.set(event.toolCallId, text.slice(end));
      return tell(event.toolCallId, text.slice(0, end));
    }
    if (event.type === "tool-end") {
      tell(event.toolCallId, held.get(event.toolCallId) ?? "");
      held.delete(event.toolCallId);
    }
    emit(mapStrings(event, hide));
  };
}
