// Regular expressions run in a thread of their own: one that takes for ever is ended with its thread, and nothing else waits.

export interface LineMatcher {
  /** For each text the numbers of the lines that match, from 0. Undefined when the thread had to be ended. */
  match(texts: string[]): Promise<MatchedLines[] | undefined>;
  stop(): void;
}

export interface MatchedLines {
  lines: number[];
  /** The rest of the text was given up: the expression takes too long on it. */
  isSlow: boolean;
}

export interface LinePattern {
  source: string;
  flags: string;
}

/** How long one text may take. The runtime itself gives up on a single line after about a second. */
const TEXT_LIMIT_MS = 400;
const THREAD_LIMIT_MS = 10_000;

export function startLineMatcher(pattern: LinePattern, signal: AbortSignal): LineMatcher {
  const address = URL.createObjectURL(new Blob([THREAD], { type: "application/javascript" }));
  const worker = new Worker(address);
  worker.postMessage({ ...pattern, limit: TEXT_LIMIT_MS });
  const stop = () => {
    worker.terminate();
    URL.revokeObjectURL(address);
  };
  return {
    stop,
    match(texts) {
      const answer = Promise.withResolvers<MatchedLines[] | undefined>();
      const giveUp = () => answer.resolve(undefined);
      const timer = setTimeout(giveUp, THREAD_LIMIT_MS);
      signal.addEventListener("abort", giveUp, { once: true });
      worker.onmessage = ({ data }) => answer.resolve(data);
      worker.onerror = giveUp;
      if (signal.aborted) giveUp();
      else worker.postMessage(texts);
      return answer.promise.finally(() => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
      });
    },
  };
}

/** The program of the thread. It is text so that it is part of a compiled Ralph too. */
const THREAD = `
let expression, literal, limit;
onmessage = ({ data }) => {
  if (Array.isArray(data)) return postMessage(data.map(matchText));
  expression = new RegExp(data.source, data.flags);
  literal = !data.flags.includes("i") && /^[\\w \\/"'<>=,;:@#%&~-]+$/.test(data.source) ? data.source : undefined;
  limit = data.limit;
};
function matchText(text) {
  const lines = [];
  if (literal !== undefined && !text.includes(literal)) return { lines, isSlow: false };
  const end = performance.now() + limit;
  for (let line = 0, start = 0; start < text.length; line++) {
    const next = text.indexOf("\\n", start);
    const stop = next < 0 ? text.length : next;
    if (expression.test(text.slice(start, text[stop - 1] === "\\r" && stop > start ? stop - 1 : stop))) lines.push(line);
    if (performance.now() > end) return { lines, isSlow: true };
    start = stop + 1;
  }
  return { lines, isSlow: false };
}
`;
