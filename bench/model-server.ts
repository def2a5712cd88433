// A model on loopback, over the wire format of Anthropic. It answers every request with text, or plays a script of tool calls, and
// notes when requests arrived. Answers are put together before they are needed or from a few strings, so that it is not what is
// measured.

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

export interface ModelServer {
  url: string;
  /** When the newest request reached us, on this process's clock. */
  arrivedAt(): number;
  /** Every request from now on gets this many text deltas, with a pause after every 50 where one is wanted. */
  answerWith(deltas: number, pauseMs?: number): void;
  /**
   * The n-th request from now on, counted from 0, gets these calls; where there are none, a word that ends the run. Gives back
   * when each request arrived, as they come.
   */
  answerWithCalls(callsOf: (turn: number) => readonly ToolCall[]): { arrivals: number[] };
  /** The newest request, as it was sent. */
  newestRequest(): string;
  stop(): void;
}

type Answer = () => Uint8Array[];

export function startModelServer(): ModelServer {
  let arrived = 0;
  let newest: Uint8Array = new Uint8Array();
  let answer: Answer = textAnswer(1);
  let pause = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // The history of ten thousand calls goes over the wire again and again.
    maxRequestBodySize: 1 << 30,
    async fetch(request) {
      arrived = performance.now();
      newest = new Uint8Array(await request.arrayBuffer());
      return new Response(streamOf(answer(), pause), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    arrivedAt: () => arrived,
    newestRequest: () => new TextDecoder().decode(newest),
    answerWith(deltas, pauseMs = 0) {
      pause = pauseMs;
      answer = textAnswer(deltas);
    },
    answerWithCalls(callsOf) {
      pause = 0;
      const arrivals: number[] = [];
      const done = render([text(1)], "end_turn");
      answer = () => {
        const calls = callsOf(arrivals.length);
        arrivals.push(arrived);
        return calls.length === 0 ? done : render(calls.map(call), "tool_use");
      };
      return { arrivals };
    },
    stop: () => void server.stop(true),
  };
}

function textAnswer(deltas: number): Answer {
  const chunks = render([text(deltas)], "end_turn");
  return () => chunks;
}

function streamOf(chunks: Uint8Array[], pauseMs: number): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

/** The events of one block of an answer. */
type Block = (index: number) => string[];

function text(deltas: number): Block {
  return (index) =>
    block(
      { index, start: { type: "text", text: "" } },
      Array.from({ length: deltas }, (_, count) => ({ type: "text_delta", text: ` word${count % 97}` })),
    );
}

let calls = 0;

function call({ name, input }: ToolCall): Block {
  return (index) =>
    block({ index, start: { type: "tool_use", id: `toolu_${++calls}`, name, input: {} } }, [
      { type: "input_json_delta", partial_json: JSON.stringify(input) },
    ]);
}

function block({ index, start }: { index: number; start: object }, deltas: object[]): string[] {
  return [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

const CHUNK_EVENTS = 50;

function render(blocks: Block[], stopReason: string): Uint8Array[] {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", content: [], usage };
  const events = [
    event({ type: "message_start", message }),
    ...blocks.flatMap((events, index) => events(index)),
    event({ type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 10 } }),
    event({ type: "message_stop" }),
  ];
  const encoder = new TextEncoder();
  return Array.from({ length: Math.ceil(events.length / CHUNK_EVENTS) }, (_, index) =>
    encoder.encode(events.slice(index * CHUNK_EVENTS, (index + 1) * CHUNK_EVENTS).join("")),
  );
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
