import type { HostContent, HostOutcome, HostScheme } from "../protocol/host-schemes.ts";
import type { HostSchemeDefinition } from "./command-shapes.ts";
import type { FlatFrame, Inbound } from "./frames.ts";
import { createPendingCalls } from "./pending-calls.ts";

/** Addresses the host reads and writes. */
export interface HostUris {
  read(
    definitions: readonly HostSchemeDefinition[],
  ): { ok: true; schemes: HostScheme[] } | { ok: false; message: string };
  result(frame: Inbound<"host_uri_result">): void;
  /** The host has gone. */
  close(): void;
}

/** What these mean is settled. */
const TAKEN_SCHEMES = ["file", "http", "https", "data", "ws", "wss"];

export function createHostUris(send: (frame: FlatFrame) => void): HostUris {
  const requests = createPendingCalls<HostOutcome<Partial<HostContent>>>("uri");
  let cancelled = 0;
  const ask = (
    request: { operation: "read" | "write"; url: string; content?: string },
    signal: AbortSignal,
  ): Promise<HostOutcome<Partial<HostContent>>> =>
    requests.open(signal, {
      send: (id) => send({ type: "host_uri_request", id, ...request }),
      onAbort(targetId) {
        cancelled += 1;
        send({ type: "host_uri_cancel", id: `uri_cancel_${cancelled}`, targetId });
        return {
          ok: false,
          message: `Stopped: ${request.url} was not ${request.operation === "read" ? "read" : "written"} in time.`,
        };
      },
    });
  const schemeOf = ({ scheme, description = "", writable = false, immutable = false }: HostSchemeDefinition) => ({
    scheme: scheme.toLowerCase(),
    description,
    writable,
    immutable,
    async read(url: string, signal: AbortSignal): Promise<HostOutcome<HostContent>> {
      const answer = await ask({ operation: "read", url }, signal);
      if (!answer.ok) return answer;
      const { content } = answer;
      return content === undefined
        ? { ok: false, message: `The host gave no content for ${url}.` }
        : { ...answer, content };
    },
    async write(url: string, content: string, signal: AbortSignal): Promise<HostOutcome> {
      const answer = await ask({ operation: "write", url, content }, signal);
      return answer.ok ? { ok: true } : answer;
    },
  });
  return {
    read(definitions) {
      const names = definitions.map(({ scheme }) => scheme.toLowerCase());
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) return { ok: false, message: `The scheme ${twice} is there twice.` };
      const taken = names.find((name) => TAKEN_SCHEMES.includes(name));
      if (taken !== undefined) return { ok: false, message: `The scheme ${taken} cannot be the host's.` };
      return { ok: true, schemes: definitions.map(schemeOf) };
    },
    result: (frame) => void requests.settle(frame.id, outcomeOf(frame)),
    close: () => requests.rejectAll({ ok: false, message: "The host that has this address has gone." }),
  };
}

function outcomeOf(frame: Inbound<"host_uri_result">): HostOutcome<Partial<HostContent>> {
  const { content, contentType, notes, immutable, isError, error } = frame;
  if (isError === true) return { ok: false, message: error ?? content ?? "The host refused without a reason." };
  return {
    ok: true,
    ...(content === undefined ? {} : { content }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(notes === undefined ? {} : { notes }),
    ...(immutable === undefined ? {} : { immutable }),
  };
}
