import type { ScriptTurn } from "../../src/protocol/script.ts";
import { type ConversationOptions, type ConversationTerminal, startConversation } from "./conversation-terminal.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

// A home with a model that plays these turns, `play/first`, and one that says its name, `other/second`.

export function rehearsalHome(turns: readonly ScriptTurn[]): TempWorkspace {
  const workspace = tempWorkspace();
  const provider = (id: string, played: readonly ScriptTurn[]) => ({
    api: "scripted",
    auth: "none",
    baseUrl: workspace.write(`${id}.json`, JSON.stringify({ version: 1, turns: played })),
    models: [{ id, contextWindow: 1_000_000 }],
  });
  const named: ScriptTurn = { repeat: 9, steps: [{ text: "I am the other." }] };
  const providers = { play: provider("first", turns), other: provider("second", [named]) };
  workspace.write("ralph-home/config/models.yml", JSON.stringify({ providers }));
  return workspace;
}

export function rehearse(
  workspace: TempWorkspace,
  args: string[] = [],
  options: Partial<ConversationOptions> = {},
): ConversationTerminal {
  return startConversation(["--model", "play/first", ...args], { workspace, ...options });
}

/** Words that come as a model sends them: `count` deltas of `text(index)` in groups, with a pause after each group. */
export function streamed(
  text: (index: number) => string,
  { count, group, pauseMs }: { count: number; group: number; pauseMs: number },
): ScriptTurn["steps"] {
  return Array.from({ length: Math.ceil(count / group) }, (_, at) => {
    const size = Math.min(group, count - at * group);
    return [{ text: Array.from({ length: size }, (_, index) => text(at * group + index)) }, { wait: pauseMs }];
  }).flat();
}
