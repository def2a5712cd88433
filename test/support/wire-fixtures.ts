import { join } from "node:path";
import { createAnswerReader } from "../../src/llm/read-answer.ts";
import type { WireEvent, WireProtocol } from "../../src/llm/wire-protocol.ts";
import type { ModelEnd } from "../../src/protocol/model-events.ts";
import type { ModelRequest } from "../../src/protocol/model-request.ts";
import type { Model } from "../../src/protocol/models.ts";

// Recorded answers of providers: `<name>.sse` as it is streamed, `<name>.json` as it comes whole.

const FIXTURES = join(import.meta.dir, "../fixtures/wire");

export async function endOfStream(protocol: WireProtocol, model: Model, fixture: string): Promise<ModelEnd> {
  const reader = createAnswerReader(protocol, { model, tools: [], emit: () => {} });
  reader.push(await Bun.file(join(FIXTURES, `${fixture}.sse`)).bytes());
  return reader.end();
}

export async function endOfWhole(protocol: WireProtocol, model: Model, fixture: string): Promise<ModelEnd> {
  const reader = createAnswerReader(protocol, { model, tools: [], emit: () => {} });
  reader.pushWhole(await Bun.file(join(FIXTURES, `${fixture}.json`)).text());
  return reader.end();
}

/** The events of a stream of frames that name themselves in their data. */
export function eventsOf(protocol: WireProtocol, frames: unknown[]): WireEvent[] {
  let state = protocol.start();
  return frames.flatMap((data) => {
    const step = protocol.step(state, { event: "", data });
    state = step.state;
    return step.events;
  });
}

/**
 * The bytes of a request up to its end or to its changing part: everything but the brackets that close the conversation.
 * Whatever comes later in the session must begin with them.
 */
export function stableBytes(protocol: WireProtocol, model: Model, request: ModelRequest): string {
  const { system, ...rest } = request;
  const { body } = protocol.buildRequest({ ...rest, system: { base: system.base } }, model);
  return JSON.stringify(body).replace(/[\]}]+$/, "");
}

export function bytesOfRequest(protocol: WireProtocol, model: Model, request: ModelRequest): string {
  return JSON.stringify(protocol.buildRequest(request, model).body);
}
