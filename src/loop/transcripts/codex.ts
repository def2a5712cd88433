import { asString } from "../../protocol/json.ts";
import type { AdapterStep, AgentLine, TranscriptAdapter } from "./adapter.ts";
import { CODEX_JSON_START, type CodexJsonState, flushCodexJson, stepCodexJson } from "./codex-json.ts";
import { type CodexTextState, flushCodexText, roleOfLine, startCodexText, stepCodexText } from "./codex-text.ts";
import { readJsonLine } from "./json-line.ts";

// Codex, with and without `--json`. The first line that is a JSON object with a type decides for JSON lines, the first role word
// for text; until one of them comes both would read a line the same way.

type CodexState = { form: "undecided" | "text"; text: CodexTextState } | { form: "json"; json: CodexJsonState };

type Step = AdapterStep<CodexState>;

export const CODEX_ADAPTER: TranscriptAdapter<CodexState> = {
  name: "codex",
  capabilities: { roles: true, toolEvents: true, usageEvents: true, promptHiding: true },
  start: (options) => ({ form: "undecided", text: startCodexText(options) }),
  step: stepCodex,
  flush: flushCodex,
};

function stepCodex(state: CodexState, line: AgentLine): Step {
  if (state.form === "json") {
    const { state: json, events } = stepCodexJson(state.json, line);
    return { state: json === state.json ? state : { form: "json", json }, events };
  }
  if (state.form === "undecided" && isJsonEvent(line.text))
    return stepCodex({ form: "json", json: CODEX_JSON_START }, line);
  const form = state.form === "undecided" && roleOfLine(line.text) === undefined ? "undecided" : "text";
  const { state: text, events } = stepCodexText(state.text, line);
  return { state: text === state.text && form === state.form ? state : { form, text }, events };
}

function flushCodex(state: CodexState): Step {
  if (state.form === "json") {
    const { state: json, events } = flushCodexJson(state.json);
    return { state: { form: "json", json }, events };
  }
  const { state: text, events } = flushCodexText(state.text);
  return { state: { form: state.form, text }, events };
}

function isJsonEvent(text: string): boolean {
  const line = readJsonLine(text);
  return line.type === "object" && asString(line.value.type) !== undefined;
}
