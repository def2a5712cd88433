import type { McpOffer } from "../../mcp/server/mcp-session.ts";
import { serveHttp } from "../../mcp/server/serve-http.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { flagText, type RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";
import { httpToken } from "./http-token.ts";

const DEFAULT_PORT = 8417;

/** Serves any number of clients over HTTP until a signal ends it. The address is printed, and a token that was made. */
export async function overHttp(context: RunContext, offer: McpOffer): Promise<number> {
  const { clock, note } = context;
  const port = portOf(flagText(context, "port"));
  if (port === undefined) {
    note(`--port is "${flagText(context, "port")}"; it should be a whole number from 0 to 65535.`);
    return EXIT.usage;
  }
  const token = httpToken(context);
  if (!token.ok) {
    note(token.message);
    return EXIT.usage;
  }
  const host = flagText(context, "host") ?? "127.0.0.1";
  const served = serveHttp({ offer, clock, host, port, token: token.token });
  if (!served.ok) {
    note(served.message);
    return EXIT.failed;
  }
  const stopped = Promise.withResolvers<void>();
  const stopListening = onStopSignal(() => stopped.resolve());
  if (!LOOPBACK.test(host))
    note(`Others can reach ${host}, and nothing here is encrypted: put a proxy with TLS before it, or use a tunnel.`);
  for (const warning of token.warnings) note(warning);
  if (token.isNew) note(`Clients send this token, made for this run: Authorization: Bearer ${token.token}`);
  print(`${served.url}\n`);
  await stopped.promise;
  stopListening();
  await served.stop();
  return EXIT.interrupted;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

function portOf(said: string | undefined): number | undefined {
  const port = said === undefined ? DEFAULT_PORT : /^\d{1,5}$/.test(said) ? Number(said) : Number.NaN;
  return port <= 65_535 ? port : undefined;
}
