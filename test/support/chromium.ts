import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// A real Chromium without a window, driven over its DevTools protocol: pages are opened, clicked and typed into as a person does.

export const chromiumProgram: string | undefined = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
]
  .map((name) => Bun.which(name))
  .find((path) => path !== null) as string | undefined;

/** For the titles of what is skipped. */
export const chromiumMissing = chromiumProgram === undefined ? " (skipped: no Chromium here)" : "";

export interface Chromium {
  open(url: string, options?: PageOptions): Promise<BrowserPage>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface PageOptions {
  width?: number;
  height?: number;
  colors?: "light" | "dark";
}

export interface BrowserPage {
  /** The value of an expression, which may be a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Resolves when the expression is true, looked at with every frame; rejects after ten seconds. */
  until(condition: string): Promise<void>;
  /** A click of the mouse in the middle of the first element that fits, which is scrolled to before. */
  click(selector: string): Promise<void>;
  type(text: string): Promise<void>;
  /** A key by its name (`Enter`, `/`), with Shift held where it is asked for. */
  press(key: string, modifiers?: { shift?: boolean }): Promise<void>;
  screenshot(): Promise<Uint8Array>;
  /** Whatever the page complained about: exceptions, errors and warnings of the console, broken policies. */
  complaints: string[];
  /** Addresses it asked for besides its own and what is inside of it. */
  requests: string[];
  close(): Promise<void>;
}

const START_MS = 20_000;
const WAIT_MS = 10_000;

export async function startChromium(): Promise<Chromium> {
  if (chromiumProgram === undefined) throw new Error("there is no Chromium here");
  const profile = mkdtempSync(join(tmpdir(), "ralph-chromium-"));
  const child = Bun.spawn([chromiumProgram, ...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    env: { ...process.env, HOME: profile, LANG: "C.UTF-8", TZ: "UTC" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = async () => {
    const late = setTimeout(() => child.kill("SIGKILL"), WAIT_MS);
    await child.exited;
    clearTimeout(late);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const connection = await connect(await addressIn(child.stderr));
    return {
      open: (url, options = {}) => openPage(connection, url, options),
      [Symbol.asyncDispose]: async () => {
        // Asked to go it ends its own children, too.
        void connection.send("Browser.close").catch(() => undefined);
        await stop();
        connection.close();
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    await stop();
    throw error;
  }
}

const FLAGS = [
  "--headless=new",
  "--remote-debugging-port=0",
  // Inside of containers and for root there are no namespaces to hide in; the pages are ours.
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--no-first-run",
  "--lang=en-US",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-extensions",
  "--hide-scrollbars",
  "--force-device-scale-factor=1",
];

async function addressIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const late = AbortSignal.timeout(START_MS);
  const reader = stderr.getReader();
  late.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`Chromium did not start: ${text}`);
    text += decoder.decode(value, { stream: true });
    const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
    if (found === undefined) continue;
    void drain(reader);
    return found;
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read().catch(() => ({ done: true }))).done);
}

type Answer = Record<string, unknown>;
type Listener = (method: string, params: Answer) => void;

interface Connection {
  send(method: string, params?: Answer, sessionId?: string): Promise<Answer>;
  listen(sessionId: string, listener: Listener): void;
  close(): void;
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  const listeners = new Map<string, Listener>();
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, error, result, method, params, sessionId } = JSON.parse(String(data));
    if (id === undefined) return listeners.get(sessionId)?.(method, params);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Chromium is gone"));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  return {
    send: (method, params = {}, sessionId = undefined as string | undefined) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params, ...(sessionId !== undefined && { sessionId }) }));
      }),
    listen: (sessionId, listener) => void listeners.set(sessionId, listener),
    close: () => socket.close(),
  };
}

async function openPage(connection: Connection, url: string, options: PageOptions): Promise<BrowserPage> {
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params: Answer = {}) => connection.send(method, params, String(sessionId));
  const complaints: string[] = [];
  const requests: string[] = [];
  const loaded = Promise.withResolvers<void>();
  connection.listen(String(sessionId), (method, params) => {
    if (method === "Page.loadEventFired") loaded.resolve();
    const complaint = complaintIn(method, params);
    if (complaint !== undefined) complaints.push(complaint);
    const address = method === "Network.requestWillBeSent" ? (params.request as { url: string }).url : url;
    if (address.split("#")[0] !== url.split("#")[0] && !address.startsWith("data:")) requests.push(address);
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  const { width = 1280, height = 900, colors = "light" } = options;
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: colors }] });
  await send("Page.navigate", { url });
  await loaded.promise;
  const hands = handsOf(send);
  return {
    ...hands,
    complaints,
    requests,
    screenshot: async () =>
      Buffer.from(String((await send("Page.captureScreenshot", { format: "png" })).data), "base64"),
    close: async () => void (await connection.send("Target.closeTarget", { targetId })),
  };
}

function complaintIn(method: string, params: Answer): string | undefined {
  if (method === "Runtime.exceptionThrown") return JSON.stringify(params.exceptionDetails);
  if (method === "Log.entryAdded") return (params.entry as { text: string }).text;
  const isBad = method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(String(params.type));
  return isBad ? JSON.stringify(params.args) : undefined;
}

type Send = (method: string, params?: Answer) => Promise<Answer>;

function handsOf(send: Send): Pick<BrowserPage, "evaluate" | "until" | "click" | "type" | "press"> {
  const evaluate = async <T>(expression: string): Promise<T> => {
    const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer.exceptionDetails));
    return (answer.result as { value: T }).value;
  };
  return {
    evaluate,
    until: async (condition) => {
      const isTrue = await evaluate<boolean>(`new Promise((resolve) => {
        const end = performance.now() + ${WAIT_MS};
        const look = () => (${condition}) ? resolve(true) : performance.now() > end ? resolve(false) : requestAnimationFrame(look);
        look();
      })`);
      if (!isTrue) throw new Error(`after ${WAIT_MS} ms it is still not so: ${condition}`);
    },
    click: async (selector) => {
      const place = await evaluate<{ x: number; y: number } | null>(`(() => {
        const element = document.querySelector(${JSON.stringify(selector)});
        element?.scrollIntoView({ block: "center" });
        const box = element?.getBoundingClientRect();
        return box === undefined ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      })()`);
      if (place === null) throw new Error(`nothing fits ${selector}`);
      for (const type of ["mousePressed", "mouseReleased"])
        await send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
    },
    type: async (text) => void (await send("Input.insertText", { text })),
    press: async (key, { shift = false } = {}) => {
      const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
      const event = {
        key,
        code: KEY_CODES[key]?.code,
        windowsVirtualKeyCode: KEY_CODES[key]?.number,
        modifiers: shift ? 8 : 0,
      };
      await send("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", ...event, text });
      await send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
  };
}

const KEY_CODES: Record<string, { code: string; number: number }> = {
  Enter: { code: "Enter", number: 13 },
  Escape: { code: "Escape", number: 27 },
  Tab: { code: "Tab", number: 9 },
  ArrowDown: { code: "ArrowDown", number: 40 },
  ArrowUp: { code: "ArrowUp", number: 38 },
};
