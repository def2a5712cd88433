import type { Tool, ToolContext, ToolOutput } from "../protocol/tool-runs.ts";
import type { Clock } from "../system/clock.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { type Field, integer, named, optional } from "./input-fields.ts";
import { type FetchedPage, followPage, type PageWorld } from "./page-request.ts";
import { readablePage } from "./readable-page.ts";
import description from "./web-fetch.md" with { type: "text" };

export interface WebFetchWorld extends PageWorld {
  clock: Clock;
}

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 300;

export function createWebFetch(world: WebFetchWorld): Tool {
  return defineTool({
    name: "web_fetch",
    aliases: ["WebFetch", "fetch"],
    description,
    fields: {
      url: named(webAddress(), "address"),
      timeout: optional(integer(`Seconds, default ${DEFAULT_SECONDS}`, { minimum: 1, maximum: MAX_SECONDS })),
    },
    isReadOnly: true,
    asks: ({ url }) => [{ category: "network", resources: [url.href], summary: `fetch ${url.href}` }],
    run: ({ url, timeout = DEFAULT_SECONDS }, context) => fetchWithin(world, { url, seconds: timeout, context }),
  });
}

interface Fetch {
  url: URL;
  seconds: number;
  context: ToolContext;
}

async function fetchWithin(world: WebFetchWorld, { url, seconds, context }: Fetch): Promise<ToolOutput> {
  const deadline = new AbortController();
  const stopTimer = world.clock.timer(seconds * 1000, () => deadline.abort());
  try {
    const page = await followPage(world, url, AbortSignal.any([context.signal, deadline.signal]));
    if (page.ok) return outputOf(page);
    if (context.signal.aborted) return failedOutput(`${url.href} was not fetched: it was stopped.`);
    if (deadline.signal.aborted)
      return failedOutput(`${url.href} was not fetched: it took longer than the limit of ${seconds} s.`);
    return failedOutput(page.message);
  } finally {
    stopTimer();
  }
}

function outputOf(page: FetchedPage): ToolOutput {
  const read = readablePage(page);
  const details = {
    content_type: page.contentType,
    size: page.bytes.length,
    truncated: page.isCut || (read.ok && read.isCut),
    final_url: page.url.href,
    status: page.status,
  };
  if (!read.ok) return failedOutput(`${page.url.href}: ${read.message}`, details);
  const isFailure = page.status >= 400;
  const facts = [
    `${page.url.href} (${page.contentType || "no content type"}, ${page.bytes.length} bytes)`,
    ...(isFailure ? [`The server answered with status ${page.status}.`] : []),
    ...(read.title === "" ? [] : [`Title: ${read.title}`]),
    ...(details.truncated ? [`Cut: ${read.isCut ? read.limit : page.limit}.`] : []),
  ];
  const text = `${facts.join("\n")}\n\n${read.text}`.trim();
  return isFailure ? failedOutput(text, details) : textOutput(text, details);
}

const MAX_ADDRESS = 8192;

/** The part behind `#` never reaches a server. */
function webAddress(): Field<URL> {
  return {
    json: { type: "string", description: "http or https address" },
    isOptional: false,
    aliases: [],
    parse(value) {
      const url = typeof value === "string" && value.length <= MAX_ADDRESS ? URL.parse(value.trim()) : null;
      if (url === null) return { ok: false, message: "must be a whole address such as https://example.com/page" };
      if (url.protocol !== "http:" && url.protocol !== "https:")
        return { ok: false, message: `must begin with http:// or https://, not ${url.protocol}//` };
      if (url.username !== "" || url.password !== "")
        return { ok: false, message: "must not carry a user name or password" };
      url.hash = "";
      return { ok: true, value: url };
    },
  };
}
