import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import { exportSessionHtml } from "../../src/sessions/export/export-session-html.ts";
import { exportHtml } from "../../src/sessions/export/page.ts";
import { pageData } from "../../src/sessions/export/page-data.ts";
import { pageScript } from "../../src/sessions/export/page-script.ts";
import { createSession } from "../../src/sessions/journal.ts";
import { buildTree } from "../../src/sessions/tree.ts";
import {
  answer,
  anyEntries,
  call,
  chain,
  opened,
  placesIn,
  result,
  said,
  stored,
  user,
} from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const WEB = resolve(import.meta.dir, "../../web/export");
const AT = "2026-01-02T03:04:05.000Z";
const header = { type: "session" as const, version: 1 as const, id: "abc", at: AT, cwd: "/projects" };
const newDirectory = temporaryDirectories();

describe("what a page shows of a session", () => {
  test("is what was said and done on every branch, without what only Ralph and providers need", () => {
    const thinking = { type: "thinking" as const, text: "hm", signature: "s", encrypted: "e" };
    const hidden = { type: "thinking" as const, text: "", encrypted: "e" };
    const entries = [
      ...chain(
        { type: "system-prompt", text: "stable instructions" },
        said(user("first")),
        {
          type: "message",
          message: { ...answer("yes", call("a")), content: [thinking, hidden, call("a")] },
          cost: 0.5,
        },
        { type: "tool-started", call: call("a") },
        said(result("a")),
        { type: "files-before", turnId: "e2", files: [] },
        { type: "label", targetId: "e2", label: "start" },
        { type: "name", name: "a name" },
      ),
      { ...said(user("other way")), id: "e9", parentId: "e4", at: AT } as SessionEntry,
    ];
    const tokens = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 };
    expect(JSON.parse(JSON.stringify(pageData({ header, entries, leafId: "e8" })))).toEqual({
      version: 1,
      session: { id: "abc", name: "a name", cwd: "/projects", at: AT, model: "acme/one" },
      totals: { turns: 1, usage: tokens, cost: 0.5, unpricedTurns: 0, largestPrompt: 13 },
      current: 2,
      leftOut: [],
      entries: [
        { parent: -1, at: AT, label: "start", type: "user", parts: [{ type: "text", text: "first" }] },
        {
          parent: 0,
          at: AT,
          type: "answer",
          model: "one",
          stop: "tool-use",
          tokens,
          cost: 0.5,
          parts: [
            { type: "thinking", text: "hm" },
            { type: "call", callId: "a", name: "bash", fields: [{ name: "command", text: "ls" }] },
          ],
        },
        {
          parent: 1,
          at: AT,
          type: "result",
          callId: "a",
          tool: "bash",
          isError: false,
          parts: [{ type: "text", text: "done" }],
        },
        { parent: 1, at: AT, type: "user", parts: [{ type: "text", text: "other way" }] },
      ],
    });
  });

  test("tells a message that waited only where it was neither sent nor taken back", () => {
    const queued = { type: "queued" as const, kind: "steering" as const };
    const waiting = (text: string) => ({
      ...queued,
      message: { role: "user" as const, content: [{ type: "text" as const, text }] },
    });
    const entries = chain(
      waiting("sent"),
      waiting("back"),
      waiting("left"),
      { type: "message", message: user("sent"), queuedAs: "e1" },
      { type: "unqueued", targetId: "e2" },
    );
    expect(
      pageData({ header, entries }).entries.map(({ type, ...rest }) => [type, "more" in rest ? rest.more : ""]),
    ).toEqual([
      ["note", "left"],
      ["user", ""],
    ]);
  });

  test("has the commands a person ran themselves, and not what Ralph told the model about them", () => {
    const entries = chain(
      { type: "command", command: "ls", output: "a\nb", ending: "exit code 0", exitCode: 0 },
      { type: "message", message: user("The person ran ls"), commandIds: ["e1"] },
    );
    expect(pageData({ header, entries }).entries).toEqual([
      {
        parent: -1,
        at: AT,
        label: undefined,
        type: "note",
        text: "You ran: ls (exit code 0)",
        more: undefined,
        output: "a\nb",
      },
    ]);
  });

  test("has every message once, each behind what it answers, whatever the entries are", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { entries: shown, current } = pageData({ header, entries });
        const messages = buildTree(entries).entries.filter(
          (entry) => entry.type === "message" && entry.commandIds === undefined,
        );
        expect(shown.filter(({ type }) => type !== "note").length).toBe(messages.length);
        expect(shown.filter(({ parent }, at) => !(parent >= -1 && parent < at))).toEqual([]);
        expect(current >= -1 && current < shown.length).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("has a bound, first for other branches, and says what is missing", () => {
    const long = "x".repeat(20_000);
    const picture = { type: "image" as const, mediaType: "image/png", data: "A".repeat(20_000) };
    const entries = [
      ...chain(said(user("begin")), said({ role: "user", content: [picture] }), said(user("y".repeat(300)))),
      { ...said(user(long)), id: "e4", parentId: "e1", at: AT } as SessionEntry,
    ];
    const { leftOut, entries: shown } = pageData({ header, entries, limits: { long: 30_000, short: 250 } });
    expect(leftOut).toEqual([
      "Long texts and pictures left out of this page, which has room for 0 MB of them: 1. They are in: ralph sessions export ID --jsonl",
      "Texts left out of this page, which has room for 0 MB of them: 1. They are in: ralph sessions export ID --jsonl",
    ]);
    expect(shown.map((entry) => ("parts" in entry ? entry.parts : []))).toEqual([
      [{ type: "text", text: "begin" }],
      [{ type: "absent", text: "image/png, left out of this page (20,000 characters)" }],
      [{ type: "text", text: `${"y".repeat(200)}\n[… 100 characters left out of this page …]` }],
      [{ type: "text", text: long }],
    ]);
  });
});

describe("the page", () => {
  const between = (html: string, before: string, after: string) => html.split(before)[1]?.split(after)[0] ?? "";
  const dataIn = (html: string) => between(html, '<script type="application/json" id="session-data">', "</script>\n");
  const digest = (text: string) => `sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}`;

  test("allows its own script and style by their very bytes, and nothing else", () => {
    const { html } = exportHtml({ header, entries: [] });
    const policy = between(html, '<meta http-equiv="Content-Security-Policy" content="', '">');
    const style = between(html, "<style>", "</style>");
    const script = between(html, '<script type="module">', "</script>");
    expect(policy).toBe(
      `default-src 'none'; style-src '${digest(style)}'; script-src '${digest(script)}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
  });

  const anyCharacters = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));

  test("holds no text that could end its script, and gives every text back", () => {
    fc.assert(
      fc.property(
        anyCharacters,
        fc.constantFrom("</script>", "<!--", "\u2028", "\ud800", "$&", "<!-- data -->"),
        (some, hostile) => {
          const entries = chain(said(user(some + hostile + some)));
          const data = dataIn(exportHtml({ header, entries }).html);
          expect(data).not.toMatch(/[<>&\u2028\u2029]/);
          expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(pageData({ header, entries }))));
        },
      ),
    );
  });

  test("has every module and style of web/export in it, and none of them can end its element", () => {
    const script = pageScript();
    const names = readdirSync(WEB).filter((name) => name.endsWith(".js"));
    expect(names.filter((name) => !script.includes(`modules["${name.slice(0, -3)}"] = `))).toEqual([]);
    expect(script).not.toMatch(/<\/script|<!--|^import |^export /im);
    const { html } = exportHtml({ header, entries: [] });
    const styles = readdirSync(WEB).filter((name) => name.endsWith(".css"));
    expect(styles.filter((name) => !html.includes(readFileSync(join(WEB, name), "utf8")))).toEqual([]);
    expect([html.split("<style>").length, html.split("</style>").length]).toEqual([2, 2]);
    expect(() => new Bun.Transpiler({ loader: "js" }).transformSync(script)).not.toThrow();
  });

  test("never reads a text as HTML or as a program", () => {
    expect(pageScript()).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|setHTML|srcdoc|DOMParser/,
    );
  });
});

interface Markdown {
  parseMarkdown(text: string): unknown;
}

describe("Markdown on the page", async () => {
  const { parseMarkdown } = (await import(join(WEB, "markdown.js"))) as Markdown;
  const piece = fc.constantFrom(
    ..."# |-*_~`[]()!<>\\\n.1:/ \t",
    "```",
    "~~~",
    "- ",
    "> ",
    "1. ",
    "http://",
    "](",
    "javascript:",
    "|--|",
    "x",
    "ü",
    "\ud800",
  );
  const anyMarkdown = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

  test("of any text is made, links only to where one may go, and keeps every letter", () => {
    fc.assert(
      fc.property(anyMarkdown, (text) => {
        const written = JSON.stringify(parseMarkdown(text));
        const targets = [...written.matchAll(/"href":"([^"]*)"/g)].map(([, href = ""]) => href);
        expect(targets.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([]);
        const letters = (value: string) => value.replace(/[^xü]/g, "").length;
        expect(letters(written.replace(/"(type|href|language)":"[^"]*"/g, ""))).toBeGreaterThanOrEqual(
          letters(text) - lettersOfTitles(text),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["stars", "*"],
    ["underlines", "_a "],
    ["brackets", "["],
    ["links that never end", "[a]("],
    ["addresses", "http://"],
    ["backticks", "`a ``b ```c "],
    ["quotes", "> "],
    ["lists", "- "],
    ["tildes", "~"],
    ["tables", "|a\n|-\n"],
    ["headings", "# #"],
    ["indented items", " - x\n  "],
  ])("takes no longer than in proportion for many %s", (_, shape) => {
    const started = performance.now();
    parseMarkdown(`${shape.repeat(80_000 / shape.length)}\``);
    // In proportion it takes some 100 ms; the square of it would take minutes.
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

/** What follows a fence names its language and is not shown whole; a title of a link is not shown. */
function lettersOfTitles(text: string): number {
  return [...text.matchAll(/(?:`{3,}|~{3,})[^\n]*|\([^)]*\)|\[[^\]]*\]/g)].join("").replace(/[^xü]/g, "").length;
}

describe("exportSessionHtml", () => {
  test("writes a stored session as a private page, and leaves a file that is there alone", async () => {
    const places = placesIn(newDirectory());
    const session = opened(await createSession({ places, cwd: "/projects" }));
    await stored(session, said(user("z".repeat(20_000))));
    await session.close();
    const target = join(newDirectory(), "page.html");
    const wish = { session: session.path ?? "", blobs: places.blobs, target };
    const written = await exportSessionHtml(wish);
    const html = readFileSync(target, "utf8");
    expect(written).toEqual({ ok: true, path: target, bytes: Buffer.byteLength(html), leftOut: [], problems: [] });
    expect([html.includes("z".repeat(20_000)), statSync(target).mode & 0o777]).toEqual([true, 0o600]);
    expect(await exportSessionHtml(wish)).toEqual({ ok: false, message: `${target} is there already.` });
    expect((await exportSessionHtml({ ...wish, mayReplace: true })).ok).toBe(true);
    expect(readdirSync(join(target, "..")).length).toBe(1);
    const missing = await exportSessionHtml({ ...wish, session: "/nowhere/at.jsonl" });
    expect(missing).toEqual({ ok: false, message: expect.stringContaining("/nowhere/at.jsonl") });
  });
});
