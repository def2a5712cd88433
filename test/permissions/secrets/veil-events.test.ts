import { expect, test } from "bun:test";
import { createObfuscator } from "../../../src/permissions/secrets/obfuscate.ts";
import { veilEvents } from "../../../src/permissions/secrets/veil-events.ts";
import type { AgentEvent } from "../../../src/protocol/agent-events.ts";
import { samplePrivateKey } from "../../support/sample-keys.ts";

const KEY = "long-secret-value";
const PRIVATE = samplePrivateKey(7);
const secrets = [KEY, PRIVATE].map((content) => ({ type: "plain" as const, content, mode: "obfuscate" as const }));
const obfuscator = createObfuscator(secrets, { key: "k", now: () => 0 });
const hidden = obfuscator.begin().hide(KEY);

function veiled(events: AgentEvent[]): AgentEvent[] {
  const shown: AgentEvent[] = [];
  const emit = veilEvents(obfuscator, (event) => shown.push(event));
  for (const event of events) emit(event);
  return shown;
}

const update = (text: string, toolCallId = "1"): AgentEvent => ({ type: "tool-update", toolCallId, text });
const end: AgentEvent = {
  type: "tool-end",
  toolCallId: "1",
  durationMs: 1,
  result: {
    role: "tool-result",
    toolCallId: "1",
    toolName: "shell",
    isError: false,
    content: [
      { type: "text", text: `a ${KEY}` },
      { type: "image", mediaType: "image/png", data: KEY },
    ],
  },
};

test("output is held back until its line is whole, so that no half of a secret is shown", () => {
  const shown = veiled([
    update("a long-sec"),
    update("x\n", "2"),
    update("ret-value\nb lo"),
    update("ng-secret-value"),
    end,
  ]);
  expect(shown.slice(0, -1)).toEqual([update("x\n", "2"), update(`a ${hidden}\n`), update(`b ${hidden}`)]);
  expect(shown.at(-1)).toMatchObject({ result: { content: [{ text: `a ${hidden}` }, { data: KEY }] } });
});

test("lines of a secret with many lines are hidden one by one too", () => {
  const lines = PRIVATE.split("\n").slice(1, 5);
  const text = JSON.stringify(veiled(lines.map((line) => update(`${line}\n`))));
  expect(lines.filter((line) => text.includes(line))).toEqual([]);
});
