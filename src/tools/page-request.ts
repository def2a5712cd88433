import { addressKind } from "./address-check.ts";

export interface PageWorld {
  /** All addresses of a host name; asked once per request, and what it answers is what is connected to. May reject. */
  resolve(host: string): Promise<string[]>;
  /** Whether a page may be fetched although its address is not on the open internet. */
  allowsAddress(url: URL, address: string): boolean;
  /** Whether a redirect may be followed without asking again. */
  allowsRedirect(from: URL, to: URL): boolean;
  /** Certificates that count besides those of the system. */
  certificates?: string[];
}

export interface FetchedPage {
  ok: true;
  /** Where the last redirect led. */
  url: URL;
  status: number;
  contentType: string;
  bytes: Uint8Array;
  isCut: boolean;
  /** What cut the bytes, in words. */
  limit: string;
}

type Failure = { ok: false; message: string };

const MAX_REDIRECTS = 3;
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Fetches an address and follows its redirects, each checked like the first. Never rejects. */
export async function followPage(world: PageWorld, first: URL, signal: AbortSignal): Promise<FetchedPage | Failure> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await request(world, url, signal);
    if (!answer.ok) return answer;
    const next = redirectOf(answer.response, url);
    if (next === undefined) return readBody(answer.response, url);
    await answer.response.body?.cancel().catch(() => undefined);
    if (typeof next === "string") return failed(url, next);
    if (!world.allowsRedirect(url, next))
      return failed(url, `it redirects to ${next.href}; fetch that address if you want it`);
    url = next;
  }
  return failed(first, `it redirects more than ${MAX_REDIRECTS} times`);
}

/** The host name as it is resolved: the brackets of an IPv6 address are only for URLs. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

type Answer = { ok: true; response: Response } | Failure;

async function request(world: PageWorld, url: URL, signal: AbortSignal): Promise<Answer> {
  const addresses = await checkedAddresses(world, url, signal);
  if (!addresses.ok) return addresses;
  let reason = "nothing answers there";
  for (const address of addresses.list) {
    if (signal.aborted) break;
    try {
      return { ok: true, response: await connect(world, url, { address, signal }) };
    } catch (error) {
      reason = reasonOf(error);
    }
  }
  return failed(url, reason);
}

const MAX_ADDRESSES = 4;

type Addresses = { ok: true; list: string[] } | Failure;

/** One address that may not be reached refuses them all: a name that also leads inside is not to be trusted. */
async function checkedAddresses(world: PageWorld, url: URL, signal: AbortSignal): Promise<Addresses> {
  const host = hostOf(url);
  const found = addressKind(host) === "invalid" ? await resolved(world, host, signal) : [host];
  if (found === undefined || found.length === 0) return failed(url, `the host ${host} was not found`);
  const refused = found.find((address) => addressKind(address) !== "public" && !world.allowsAddress(url, address));
  if (refused !== undefined)
    return failed(url, `${host} leads to ${refused}, which is not on the open internet; a person has to allow it`);
  const fours = found.filter((address) => !address.includes(":"));
  const sixes = found.filter((address) => address.includes(":"));
  return { ok: true, list: [...fours, ...sixes].slice(0, MAX_ADDRESSES) };
}

async function resolved(world: PageWorld, host: string, signal: AbortSignal): Promise<string[] | undefined> {
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return Promise.race([world.resolve(host).catch(() => undefined), stopped]);
}

interface Connection {
  address: string;
  signal: AbortSignal;
}

/**
 * The address goes into the URL, so nothing is resolved a second time; the name goes into the Host header and the TLS handshake,
 * where the certificate is checked against it. Connections are not kept: they would be shared by address, not by name.
 */
function connect(world: PageWorld, url: URL, { address, signal }: Connection): Promise<Response> {
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address.split("%", 1)[0]}]` : address;
  const isNamed = addressKind(hostOf(url)) === "invalid";
  const options: BunFetchRequestInit = {
    signal,
    redirect: "manual",
    keepalive: false,
    headers: { host: url.host, "user-agent": "ralph", accept: "text/markdown, text/html, text/plain, */*;q=0.5" },
    tls: {
      ...(isNamed ? { serverName: url.hostname.replace(/\.$/, "") } : {}),
      ...(world.certificates === undefined ? {} : { ca: world.certificates }),
    },
  };
  return fetch(target.href, options);
}

/** The next address, why there is none, or undefined for a page. */
function redirectOf(response: Response, from: URL): URL | string | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.get("location");
  if (location === null) return undefined;
  const url = URL.parse(location, from.href);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    return "it redirects to something that is not an http(s) address";
  if (url.username !== "" || url.password !== "") return "it redirects to an address with a password";
  url.hash = "";
  return url;
}

async function readBody(response: Response, url: URL): Promise<FetchedPage | Failure> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined && size <= MAX_BODY_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
  } catch (error) {
    return failed(url, `it broke off after ${size} bytes: ${reasonOf(error)}`);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
  return {
    ok: true,
    url,
    status: response.status,
    contentType: response.headers.get("content-type") ?? "",
    bytes: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES),
    isCut: size > MAX_BODY_BYTES,
    limit: `the page is larger than ${MAX_BODY_BYTES} bytes`,
  };
}

const REASONS: Record<string, string> = {
  ConnectionRefused: "the connection was refused",
  ConnectionClosed: "the connection was closed",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by nobody known",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? (code || (error instanceof Error ? error.message : String(error)));
}

function failed(url: URL, reason: string): Failure {
  return { ok: false, message: `${url.href} was not fetched: ${reason}.` };
}
