import type { JsonObject } from "../../src/protocol/json.ts";
import type { Chunking, FakeAnswer, Fault } from "./fake-answer.ts";
import type { Route } from "./fake-routes.ts";
import type { LoopbackReply } from "./loopback-server.ts";
import { bytesOf, renderStream, renderWhole, type WireRenderer } from "./wire/wire-renderer.ts";

// Puts one answer on the wire, with the fault it asks for.

export interface Sending extends Route {
  answer: FakeAnswer;
  serial: number;
  chunking: Chunking;
}

export async function sendAnswer(reply: LoopbackReply, sending: Sending): Promise<void> {
  const { renderer, answer, refusal, stream } = sending;
  if (refusal !== undefined) return sendJson(reply, 400, { detail: refusal });
  const { fault } = answer;
  if (fault?.type === "reset") return reply.abandon("reset");
  if (fault?.type === "silence" && fault.after === "request") return goneOf(reply);
  const failure = errorOf(renderer, fault, stream);
  if (failure !== undefined) return sendBody(reply, failure);
  const events = stream ? renderStream(renderer, answer, sending) : [renderWhole(renderer, answer, sending)];
  reply.head(200, { "content-type": stream ? renderer.contentType : "application/json", "x-request-id": "req_fake" });
  await sendEvents(reply, events, sending);
}

interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function errorOf(renderer: WireRenderer, fault: Fault | undefined, stream: boolean): ErrorAnswer | undefined {
  const json = { "content-type": "application/json" };
  if (fault?.type === "status") {
    const vendor = renderer.error(fault.status, fault.reason);
    const headers = { ...json, ...vendor.headers, ...fault.headers };
    return { status: fault.status, headers, body: fault.body ?? JSON.stringify(vendor.body) };
  }
  if (fault?.type === "huge-error-body") {
    const body = "<html>error ".repeat(Math.ceil((fault.bytes ?? 8_000_000) / 12));
    return { status: fault.status ?? 500, headers: { "content-type": "text/html" }, body };
  }
  if (fault?.type === "error-event" && !stream) {
    const vendor = renderer.error(503, fault.reason ?? "overloaded");
    return { status: vendor.status, headers: { ...json, ...vendor.headers }, body: JSON.stringify(vendor.body) };
  }
  return undefined;
}

export function sendJson(reply: LoopbackReply, status: number, body: JsonObject): Promise<void> {
  return sendBody(reply, { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function sendBody(reply: LoopbackReply, { status, headers, body }: ErrorAnswer): Promise<void> {
  reply.head(status, headers);
  await reply.chunk(bytesOf(body));
  reply.end();
}

async function sendEvents(reply: LoopbackReply, events: Uint8Array[], sending: Sending): Promise<void> {
  const { fault } = sending.answer;
  const heard = fault?.type === "silence" ? events.slice(0, eventsBefore(fault.after)) : events;
  const whole = Buffer.concat(heard);
  const body = fault?.type === "cut" ? whole.subarray(0, fault.atByte) : whole;
  const delayMs = fault?.type === "slow" ? fault.delayMs : 0;
  for (const [index, piece] of piecesOf(body, heard, sending).entries()) {
    if (fault?.type === "hold" && index === fault.afterEvents) await Promise.race([fault.until, goneOf(reply)]);
    if (reply.gone.aborted) return;
    if (fault?.type === "hold" && index === fault.afterEvents && fault.ending === "close")
      return reply.abandon("close");
    await reply.chunk(piece);
    await pause(delayMs, reply.gone);
  }
  if (fault?.type === "silence") return goneOf(reply);
  if (fault?.type === "cut" && (fault.ending ?? "close") !== "end") {
    return reply.abandon(fault.ending === "reset" ? "reset" : "close");
  }
  reply.end();
}

function eventsBefore(after: "request" | "headers" | { events: number }): number {
  return typeof after === "object" ? after.events : 0;
}

/** The body in the writes the chunking asks for; a slow body overrides it. */
function piecesOf(body: Uint8Array, events: Uint8Array[], { answer, chunking }: Sending): Uint8Array[] {
  if (answer.fault?.type === "slow") return everyBytes(body, answer.fault.bytes ?? 1);
  if (chunking === "whole") return [body];
  return chunking === "event" ? atBorders(body, events) : everyBytes(body, chunking.bytes);
}

export function everyBytes(body: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

function atBorders(body: Uint8Array, events: Uint8Array[]): Uint8Array[] {
  let position = 0;
  return events.map((event) => {
    const start = position;
    position += event.length;
    return body.subarray(start, position);
  });
}

/** Lets the reader run between two writes, so that they arrive apart. */
function pause(delayMs: number, gone: AbortSignal): Promise<void> {
  if (delayMs === 0) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      gone.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    gone.addEventListener("abort", finish);
  });
}

function goneOf(reply: LoopbackReply): Promise<void> {
  return new Promise((resolve) => {
    if (reply.gone.aborted) resolve();
    else reply.gone.addEventListener("abort", () => resolve(), { once: true });
  });
}
