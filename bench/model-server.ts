// A model on loopback that answers every request with the same number of text deltas and notes when the request arrived.

export interface ModelServer {
  url: string;
  /** When the newest request reached us, on this process's clock. */
  arrivedAt(): number;
  answerWith(deltas: number): void;
  stop(): void;
}

const CHUNK_EVENTS = 50;

export function startModelServer(): ModelServer {
  let arrived = 0;
  let chunks = render(1);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      arrived = performance.now();
      await request.arrayBuffer();
      return new Response(streamOf(chunks), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    arrivedAt: () => arrived,
    answerWith(deltas) {
      chunks = render(deltas);
    },
    stop: () => void server.stop(true),
  };
}

function streamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

function render(deltas: number): Uint8Array[] {
  const events = [
    event({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...Array.from({ length: deltas }, (_, index) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ` word${index % 97}` } }),
    ),
    event({ type: "content_block_stop", index: 0 }),
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: deltas } }),
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
