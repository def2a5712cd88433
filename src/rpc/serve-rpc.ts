import type { Clock } from "../system/clock.ts";
import type { AgentPort } from "./agent-port.ts";
import { InboundLines } from "./inbound-lines.ts";
import { createOutbound, MAX_HELD, type RpcOutput } from "./outbound.ts";
import { RpcServer } from "./rpc-server.ts";

export interface ServeRpcOptions {
  agent: AgentPort;
  input: AsyncIterable<Uint8Array>;
  output: RpcOutput;
  clock: Clock;
  /** Stands in ids; another one for every process. Letters and digits. */
  run: string;
  /** Whether the host wants to show the name of the session as a title. */
  emitsTitle: boolean;
  /** Ends the serving as the end of the input does. */
  signal?: AbortSignal;
}

export type RpcEnd =
  | { type: "input-closed" }
  | { type: "stopped" }
  /** `message` is for a person. */
  | { type: "output-stuck"; message: string };

/** Serves one host until it closes its side. The agent is closed then. */
export async function serveRpc(options: ServeRpcOptions): Promise<RpcEnd> {
  const { agent, output, clock, run, emitsTitle, signal } = options;
  const ended = Promise.withResolvers<RpcEnd>();
  const onStuck = () => ended.resolve({ type: "output-stuck", message: STUCK });
  const onStop = () => ended.resolve({ type: "stopped" });
  signal?.addEventListener("abort", onStop, { once: true });
  if (signal?.aborted) onStop();
  const outbound = createOutbound({ output, run, onStuck });
  const server = new RpcServer({ agent, outbound, clock, run, emitsTitle });
  const unsubscribe = agent.subscribe((event) => server.note(event));
  await server.open();
  const end = await Promise.race([ended.promise, readAll(options.input, server)]);
  await server.close();
  unsubscribe();
  signal?.removeEventListener("abort", onStop);
  if (end.type !== "output-stuck") await Promise.race([output.drained(), clock.sleep(LAST_WORDS_MS)]);
  return end;
}

const STUCK = `The program that started Ralph does not read what Ralph sends: more than ${MAX_HELD} characters wait. Ralph ends; the session is kept.`;
/** How long a host that has closed its side is given to read the rest. */
const LAST_WORDS_MS = 2000;

async function readAll(input: AsyncIterable<Uint8Array>, server: RpcServer): Promise<RpcEnd> {
  const lines = new InboundLines();
  for await (const chunk of input) {
    for (const line of lines.take(chunk)) await server.take(line);
  }
  for (const line of lines.rest()) await server.take(line);
  return { type: "input-closed" };
}
