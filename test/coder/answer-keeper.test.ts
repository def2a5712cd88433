import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createAnswerKeeper } from "../../src/coder/answer-keeper.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { BEHIND_MS } from "../../src/sessions/drafts/answer-draft.ts";
import { draftPath } from "../../src/sessions/drafts/draft-file.ts";
import { createSession } from "../../src/sessions/journal.ts";
import { createMemorySession, type Session } from "../../src/sessions/session.ts";
import { manualClock } from "../support/manual-clock.ts";
import { modelNamed } from "../support/model-fixtures.ts";
import { answer, opened, placesIn, said, stored, user } from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const MODEL = modelNamed("test/one");
const BEGIN: AgentEvent = { type: "message-start", role: "assistant" };

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

async function keeping() {
  const clock = manualClock();
  const session = opened(await createSession({ places: placesIn(directory()), cwd: "/projects", clock }));
  open.push(session);
  await stored(session, said(user("go")));
  const keeper = createAnswerKeeper(session, () => MODEL);
  const says = async (text: string) => {
    keeper.note({ type: "message-update", event: { type: "text-delta", index: 0, text } });
    await clock.advance(BEHIND_MS);
  };
  const hasDraft = () => existsSync(draftPath(session.path ?? ""));
  return { clock, keeper, says, hasDraft };
}

function end(text: string): AgentEvent {
  return { type: "message-end", message: answer(text) };
}

test("an answer is kept from its first words until it is stored, not just until it has ended", async () => {
  const { keeper, says, hasDraft, clock } = await keeping();
  keeper.note(BEGIN);
  expect([hasDraft(), clock.pending()]).toEqual([false, 0]);
  await says("Half");
  const ended = end("Half of it");
  keeper.note(ended);
  expect(hasDraft()).toBe(true);
  keeper.stored(ended);
  expect([hasDraft(), clock.pending()]).toEqual([false, 0]);
});

test("an answer that is stored late does not take the next one's draft along, and leaves none of its own", async () => {
  const { keeper, says, hasDraft } = await keeping();
  const [first, second] = [end("One"), end("Two")];
  keeper.note(BEGIN);
  await says("One");
  keeper.note(first);
  keeper.note(BEGIN);
  await says("Two");
  keeper.stored(first);
  expect(hasDraft()).toBe(true);
  keeper.note(second);
  keeper.stored(second);
  expect(hasDraft()).toBe(false);
  keeper.note(BEGIN);
  await says("One");
  keeper.note(first);
  keeper.note(BEGIN);
  keeper.note(second);
  keeper.stored(second);
  keeper.stored(first);
  expect(hasDraft()).toBe(false);
});

test.each<[string, AgentEvent]>([
  ["another is asked for", BEGIN],
  ["it was stopped for a rule", { type: "rules-triggered", rules: [], stopped: true }],
  ["its turn is over", { type: "turn-end", turn: 1 }],
])("of an answer that was given up nothing is left when %s", async (_, event) => {
  const { keeper, says, hasDraft } = await keeping();
  keeper.note(BEGIN);
  await says("Half");
  expect(hasDraft()).toBe(true);
  keeper.note(event);
  expect(hasDraft()).toBe(false);
});

test("a session that is not kept has no drafts", () => {
  const session = createMemorySession({ cwd: "/projects" });
  void session.append({ type: "message", message: user("go") });
  expect(session.draftAnswer({ provider: "a", api: "b", model: "c" })).toBeUndefined();
});
