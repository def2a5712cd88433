import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/protocol/messages.ts";
import type { SessionEntry, SessionHeader } from "../../src/protocol/session-entries.ts";
import { exportHtml } from "../../src/sessions/export/page.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import {
  type BrowserPage,
  type Chromium,
  chromiumMissing,
  chromiumProgram,
  startChromium,
} from "../support/chromium.ts";
import { startConversation } from "../support/conversation-terminal.ts";
import { sampleEntries, sampleHeader } from "../support/export-sample.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { codesOf, FOREIGN, HOSTILE_NAME, hostileEntries, SHOWN_RESULTS } from "../support/hostile-session.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { answer, call, chain, result, said, user } from "../support/session-samples.ts";
import { startSession, storeSession } from "../support/stored-sessions.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const LIMIT_MS = 60_000;
const newDirectory = temporaryDirectories();

describe("ralph sessions export --html", () => {
  test("prints one page, or writes it to a private file that is never replaced unasked", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, [said(user("hello")), said(answer("hi"))]);
    const args = ["sessions", "export", id, "--html"];
    const printed = await ralph.run(args);
    expect([printed.code, printed.stderr, printed.stdout.slice(0, 15)]).toEqual([0, "", "<!doctype html>"]);
    const target = join(ralph.workspace.project, "talk.html");
    const size = `${Math.round(Buffer.byteLength(printed.stdout) / 1000)} KB`;
    const written = await ralph.run([...args, "-o", "talk.html"]);
    expect(outcomeOf(written)).toEqual({
      code: 0,
      stdout: "",
      stderr: `ralph: The session ${id} is in ${target} (${size}).\n`,
    });
    expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777]).toEqual([printed.stdout, 0o600]);
    expect(outcomeOf(await ralph.run([...args, "-o", "talk.html"]))).toEqual({
      code: 1,
      stdout: "",
      stderr: `ralph: ${target} is there already. Write over it with --yes.\n`,
    });
    expect((await ralph.run([...args, "-o", "talk.html", "--yes"])).code).toBe(0);
    expect(ralph.workspace.find("project/*")).toEqual(["project/talk.html"]);
  });

  test("holds all branches and shows the chosen one first", async () => {
    using ralph = await openFrontDoor();
    const session = await startSession(ralph.workspace, [said(user("one")), said(answer("two")), said(user("three"))]);
    await session.close();
    const [, second] = session.entries;
    const shown = async (...flags: string[]) => {
      const { stdout } = await ralph.run(["sessions", "export", session.header.id, "--html", ...flags]);
      const data = stdout.split('id="session-data">')[1]?.split("</script>")[0] ?? "{}";
      const { current, entries } = JSON.parse(data);
      return { current, entries: entries.length };
    };
    expect([await shown(), await shown("--entry", second?.id ?? "")]).toEqual([
      { current: 2, entries: 3 },
      { current: 1, entries: 3 },
    ]);
  });

  test("is written by /export html in a conversation, too", async () => {
    await using workspace = tempWorkspace();
    const script = workspace.write("script.yml", `version: 1\nturns:\n  - { steps: [{ text: "an answer" }] }\n`);
    workspace.write(
      "ralph-home/config/models.yml",
      `providers:\n  play:\n    api: scripted\n    auth: none\n    baseUrl: ${script}\n    models:\n      - id: first\n`,
    );
    await using ralph = startConversation(["--model", "play/first"], { workspace });
    await ralph.seeOnScreen("play/first");
    ralph.type("hello\r");
    await ralph.see("an answer");
    await ralph.seeOnScreen(/^play\/first/m);
    ralph.type("/export html\r");
    await ralph.see("Written to");
    const [file = ""] = workspace.find("project/*");
    const page = workspace.read(file);
    expect([file, page.includes('"text":"hello"'), page.includes('"text":"an answer"')]).toEqual([
      expect.stringMatching(/^project\/ralph-[^/]*\.html$/),
      true,
      true,
    ]);
  });

  test("on a terminal becomes a file with a name of its own", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, [said(user("hello"))]);
    await using terminal = ralph.inTerminal(["sessions", "export", id, "--html"]);
    await terminal.exited;
    const [file = "", ...others] = ralph.workspace.find("project/*");
    expect([others, file]).toEqual([[], expect.stringMatching(new RegExp(`^project/ralph-${id}-[0-9-]{19}\\.html$`))]);
    expect(ralph.workspace.read(file).slice(0, 15)).toBe("<!doctype html>");
  });
});

describe.skipIf(chromiumProgram === undefined)(`an exported page in Chromium${chromiumMissing}`, () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  }, LIMIT_MS);
  afterAll(async () => chromium[Symbol.asyncDispose]());

  test("shows the conversation of the branch work goes on with, and asks nobody for anything", async () => {
    await using page = await opened(chromium, sampleEntries());
    expect(await page.evaluate<unknown>(ROWS)).toEqual([
      "note: Model: anthropic/claude-sonnet-5",
      "user: You",
      "answer: claude-sonnet-5 [thinking, search_files]",
      "answer: claude-sonnet-5 [read_file, shell failed]",
      "answer: claude-sonnet-5 [edit_file]",
      "answer: claude-sonnet-5 []",
      "note: Mode: plan",
      "user: You",
      "note: The conversation was shortened for the model: 48,200 → 6,100 tokens",
      "answer: claude-sonnet-5 [shell failed]",
      "answer: claude-sonnet-5 []",
    ]);
    const about = await page.evaluate<unknown>(
      "[document.title, document.querySelector('h1').textContent, document.querySelector('.facts').innerText]",
    );
    expect(about).toEqual([
      "Rounding in the shopping cart · Ralph",
      "Rounding in the shopping cart",
      "Model\nanthropic/claude-sonnet-5\nBegun\nMar 14, 2026, 9:12 AM\nAnswers\n7\nTokens in\n36.2K\nTokens out\n1.5K\nCost\n$0.0590\nSession\nk3v9x2m7qd",
    ]);
    expect(await page.evaluate<unknown>("document.querySelector('.user img').naturalWidth")).toBe(1);
    expectQuiet(page);
  });

  test("opens where nothing was said yet", async () => {
    await using page = await opened(chromium, []);
    const shown =
      "[document.querySelector('h1').textContent, document.querySelectorAll('.row').length, document.querySelector('.chart').hidden]";
    expect(await page.evaluate<unknown>(shown)).toEqual(["Session k3v9x2m7qd", 0, true]);
    expectQuiet(page);
  });

  test("renders the Markdown of answers", async () => {
    await using page = await opened(chromium, chain(said(user("x")), said(answer(MARKDOWN))));
    expect(await page.evaluate<string>("document.querySelector('.answer .markdown').innerHTML")).toBe(RENDERED);
    expectQuiet(page);
  });

  test("shows what a tool took and gave, and diffs by sign and colour, when it is opened", async () => {
    await using page = await opened(chromium, sampleEntries());
    const edit = ".answer:nth-of-type(5) details.call";
    expect(await page.evaluate<unknown>(`document.querySelector("${edit}").innerText`)).toBe(
      "edit_file\nsrc/cart/total.ts",
    );
    await page.click(`${edit} summary`);
    await page.until(`document.querySelector("${edit} .inside") !== null`);
    const lines = "(block) => [...block.children].map((line) => line.className.slice(5) + '|' + line.textContent)";
    expect(await page.evaluate<unknown>(`[...document.querySelectorAll("${edit} pre.diff")].map(${lines})`)).toEqual([
      [
        "removed|-  return Math.round(net * (1 + tax) * 100) / 100;\n",
        "added|+  return net + Math.round(net * tax);\n",
      ],
      [
        "aside|Edited src/cart/total.ts: 1 replacement.\n",
        "hunk|@@ -9,6 +9,7 @@\n",
        "same| export function total(lines: Line[], tax: number): Cents {\n",
        "removed|-  const net = lines.reduce((sum, line) => sum + line.price * line.count, 0);\n",
        "removed|-  return Math.round(net * (1 + tax) * 100) / 100;\n",
        "added|+  const net = lines.reduce((sum, line) => sum + line.cents * line.count, 0);\n",
        "added|+  // Tax is rounded once, on the sum, as the invoice does it.\n",
        "added|+  return net + Math.round(net * tax);\n",
        "same| }\n",
      ],
    ]);
    const colours = `["added", "removed"].map((kind) => getComputedStyle(document.querySelector(".line." + kind)).backgroundColor)`;
    expect(await page.evaluate<unknown>(colours)).toEqual(["rgb(227, 245, 232)", "rgb(253, 236, 235)"]);
    expectQuiet(page);
  });

  test("changes the branch with a click in the tree, and the address names the place", async () => {
    await using page = await opened(chromium, sampleEntries());
    const tree = `[...document.querySelectorAll(".tree-row")].map((row) => [row.dataset.depth, row.innerText, row.classList.contains("on-branch")])`;
    expect(await page.evaluate<unknown>(tree)).toEqual([
      ["0", "The cart shows 39.70 and the invoice 39.69. Find out why, please, and make them agree.", true],
      ["0", expect.stringMatching(/^rounding fixed\s*Answer: The cart added prices/), true],
      ["1", "Now do the same for the exports.", false],
      ["1", "Rather look at the receipts first. This is what one looks like: [picture]", true],
    ]);
    await page.click(".tree li:nth-child(3) a");
    await page.until("document.querySelector('.conversation').innerText.includes('only the heading was wrong')");
    const after = `[location.hash, document.activeElement.id, document.querySelector(".branch-line").innerText, document.querySelectorAll(".bar").length]`;
    expect(await page.evaluate<unknown>(after)).toEqual(["#e11", "e11", "Branch 1 of 2\n›", 5]);
    expect(await page.evaluate<boolean>("document.querySelector('.conversation').innerText.includes('receipts')")).toBe(
      false,
    );
    await page.click(".branch-line a");
    await page.until("document.querySelector('.conversation').innerText.includes('receipts')");
    expect(await page.evaluate<unknown>("location.hash")).toBe("#e13");
    expectQuiet(page);
  });

  test("opens at the place its address names, on that branch", async () => {
    await using page = await opened(chromium, sampleEntries(), "#e12");
    expect(
      await page.evaluate<unknown>(
        "[document.activeElement.id, document.activeElement.innerText.includes('only the heading')]",
      ),
    ).toEqual(["e12", true]);
    await using elsewhere = await opened(chromium, sampleEntries(), "#e99999");
    expect(await elsewhere.evaluate<unknown>("document.querySelectorAll('.row').length")).toBe(11);
    expectQuiet(elsewhere);
  });

  test("finds words on all branches with the keyboard alone, and marks them", async () => {
    await using page = await opened(chromium, sampleEntries());
    const state = `[document.querySelector("#search-count").textContent, location.hash, [...(CSS.highlights.get("found-now") ?? [])].map(String)]`;
    await page.press("/");
    await page.type("MATH.ROUND(NET");
    expect(await page.evaluate<unknown>(state)).toEqual(["3 found", "", []]);
    await page.press("Enter");
    expect(await page.evaluate<unknown>(state)).toEqual(["1 of 3", "#e3", ["Math.round(net"]]);
    await page.press("Enter");
    expect(await page.evaluate<unknown>(state)).toEqual(["2 of 3", "#e7", ["Math.round(net"]]);
    expect(await page.evaluate<unknown>("document.querySelector('#e7 details').open")).toBe(true);
    await page.press("Enter", { shift: true });
    await page.press("Enter", { shift: true });
    expect(await page.evaluate<unknown>(state)).toEqual(["3 of 3", "#e8", ["Math.round(net"]]);
    await page.press("Escape");
    expect(await page.evaluate<unknown>(state)).toEqual(["", "#e8", []]);
    await page.press("/");
    await page.type("heading was");
    await page.press("Enter");
    expect(await page.evaluate<unknown>(state)).toEqual(["1 of 1", "#e12", ["heading was"]]);
    await page.press("Escape");
    await page.press("/");
    await page.type("(.*[");
    expect(await page.evaluate<unknown>(state)).toEqual(["Nothing found", "#e12", []]);
    expectQuiet(page);
  });

  test("goes from prompt to prompt with j and k, and through the tree with the arrows", async () => {
    await using page = await opened(chromium, sampleEntries());
    const seen: unknown[] = [];
    for (const key of ["j", "j", "j", "k"]) {
      await page.press(key);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => done(true)))");
      seen.push(await page.evaluate("document.activeElement.id"));
    }
    expect(seen).toEqual(["e1", "e13", "e13", "e1"]);
    await page.evaluate("document.querySelector('.tree a').focus()");
    await page.press("ArrowDown");
    await page.press("ArrowDown");
    await page.press("ArrowUp");
    await page.press("Enter");
    await page.until("location.hash === '#e9'");
    expectQuiet(page);
  });

  test("draws what every answer cost, or its tokens", async () => {
    await using page = await opened(chromium, sampleEntries());
    const titles = "[...document.querySelectorAll('.bar title')].map((title) => title.textContent)";
    expect(await page.evaluate<unknown>(titles)).toEqual([
      "Answer 1: $0.0183",
      "Answer 2: $0.0061",
      "Answer 3: $0.0109",
      "Answer 4: $0.0121",
      "Answer 5: $0.0024",
      "Answer 6: $0.0058",
    ]);
    await page.click(".chart button:nth-child(2)");
    expect(await page.evaluate<unknown>(`${titles}.slice(0, 2)`)).toEqual([
      "Answer 1: 4,684 tokens",
      "Answer 2: 5,462 tokens",
    ]);
    await page.click(".bar:nth-child(3)");
    await page.until("location.hash === '#e7'");
    expectQuiet(page);
  });

  test(
    "keeps every hostile text a text, wherever it stands",
    async () => {
      await using page = await opened(chromium, hostileEntries(), "", { cwd: HOSTILE_NAME, id: HOSTILE_NAME });
      expect(HOSTILE_TEXTS.length).toBeGreaterThan(60);
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      await page.evaluate("for (const block of document.querySelectorAll('details')) block.open = true");
      await page.until("document.querySelector('[data-folded]') === null");
      await page.evaluate("document.querySelector('.chart button')?.click()");
      expect(await page.evaluate<unknown>(FOREIGN)).toEqual({
        hacked: [],
        tags: [],
        handlers: [],
        addresses: [],
        scripts: 2,
        styles: 1,
        comments: 0,
      });
      expect(JSON.parse(await page.evaluate<string>(SHOWN_RESULTS))).toEqual(HOSTILE_TEXTS.map(codesOf));
      expectQuiet(page);
    },
    LIMIT_MS,
  );

  test("has a second wall: even a script that got in would not run, nor reach anybody", async () => {
    await using page = await opened(chromium, sampleEntries());
    await page.evaluate(`new Promise((done) => {
      const script = document.createElement("script");
      script.textContent = "window.hacked = 1";
      document.body.append(script);
      document.querySelector("main").insertAdjacentHTML("beforeend", "<img src=x onerror='window.hacked=1'><p style='color:red'>x</p>");
      requestAnimationFrame(() => done());
    })`);
    const reached = `fetch("http://127.0.0.1:9/").then(() => "reached", (error) => error.name)`;
    expect(await page.evaluate<unknown>(`(async () => [typeof window.hacked, await ${reached}])()`)).toEqual([
      "undefined",
      "TypeError",
    ]);
    const broken = page.complaints.flatMap((complaint) => /directive:? ["']([a-z-]+)/.exec(complaint)?.[1] ?? []);
    expect([...new Set(broken)].sort()).toEqual(["default-src", "img-src", "script-src", "style-src"]);
  });

  test(
    "of 20,000 entries opens, searches and jumps",
    async () => {
      using ralph = await openFrontDoor();
      const file = await exportedGiant(ralph);
      await using page = asDisposable(await chromium.open(`file://${file}`));
      expect(
        await page.evaluate<unknown>(
          "[document.querySelectorAll('.group').length, document.querySelectorAll('.row').length < 2000]",
        ),
      ).toEqual([334, true]);
      await page.press("/");
      await page.type("result number 19997");
      await page.press("Enter");
      const state = `[document.querySelector("#search-count").textContent, location.hash, document.querySelectorAll(".row").length < 2000]`;
      expect(await page.evaluate<unknown>(state)).toEqual(["1 of 1", "#e19997", true]);
      await page.until(
        "(() => { const box = document.querySelector('#e19996').getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; })()",
      );
      await page.click(".tree li:nth-child(3000) a");
      await page.until("location.hash === '#e8997' && document.activeElement.id === 'e8997'");
      expectQuiet(page);
    },
    LIMIT_MS,
  );
});

/** Who speaks in each row, and which folded things are in it. */
const ROWS = `[...document.querySelectorAll(".row")].map((row) => {
  const kind = row.className.split(" ")[1];
  if (kind === "note") return "note: " + row.innerText.trim();
  const folded = [...row.querySelectorAll("details")].map((block) =>
    (block.querySelector(".kind").textContent + " " + (block.querySelector(".state")?.textContent ?? "")).trim().toLowerCase());
  return kind + ": " + row.querySelector("h2").textContent + (kind === "answer" ? " [" + folded.join(", ") + "]" : "");
})`;

const MARKDOWN = `# One **two** \`three\`
Soft
line  
hard \\*star\\* and snake_case_name, *em*, __strong__, ~~old~~, 2 * 3 * 4

- a
  - b
    1. c
- [x] done

  more
> quote
> **on**

| a | \`b|c\` |
|---|:--:|
| 1 | <b> |

\`\`\`ts
const x = "<y>";
\`\`\`

[docs](https://example.com/a_(b) "t"), <mailto:a@example.com>, https://example.com/x?y=1. ![pic](https://example.com/p.png)
[bad](javascript:x)

---
\`\`\`
open`;

const LINK = 'rel="noreferrer noopener" target="_blank"';
const RENDERED = [
  "<h3>One <strong>two</strong> <code>three</code></h3>",
  "<p>Soft\nline  <br>hard *star* and snake_case_name, <em>em</em>, <strong>strong</strong>, <s>old</s>, 2 * 3 * 4</p>",
  "<ul><li><div>a</div><ul><li><div>b</div><ol><li><div>c</div></li></ol></li></ul></li><li><div>☑ done</div><div>more</div></li></ul>",
  "<blockquote><p>quote\n<strong>on</strong></p></blockquote>",
  '<div class="wide"><table><thead><tr><th>a</th><th><code>b|c</code></th></tr></thead><tbody><tr><td>1</td><td>&lt;b&gt;</td></tr></tbody></table></div>',
  '<pre dir="auto" class="code" data-language="ts">const x = "&lt;y&gt;";</pre>',
  `<p><a href="https://example.com/a_(b)" title="https://example.com/a_(b)" ${LINK}>docs</a>, `,
  `<a href="mailto:a@example.com" title="mailto:a@example.com" ${LINK}>mailto:a@example.com</a>, `,
  `<a href="https://example.com/x?y=1" title="https://example.com/x?y=1" ${LINK}>https://example.com/x?y=1</a>. `,
  `<a href="https://example.com/p.png" title="https://example.com/p.png" ${LINK}>pic</a>\n[bad](javascript:x)</p>`,
  "<hr>",
  '<pre dir="auto" class="code">open</pre>',
].join("");

type OpenPage = BrowserPage & AsyncDisposable;

async function opened(
  chromium: Chromium,
  entries: readonly SessionEntry[],
  hash = "",
  header: Partial<SessionHeader> = {},
): Promise<OpenPage> {
  const file = join(newDirectory(), "session.html");
  await Bun.write(file, exportHtml({ header: { ...sampleHeader, ...header }, entries }).html);
  return asDisposable(await chromium.open(`file://${file}${hash}`));
}

function asDisposable(page: BrowserPage): OpenPage {
  return { ...page, [Symbol.asyncDispose]: () => page.close() };
}

function expectQuiet({ complaints, requests }: BrowserPage): void {
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
}

function priced(message: Message): EntryDraft {
  return { type: "message", message, cost: 0.01 };
}

/** Through the front door: a stored session that has grown over months. */
async function exportedGiant(ralph: FrontDoor): Promise<string> {
  const { id, path } = await storeSession(ralph.workspace, [{ type: "name", name: "giant" }]);
  const drafts = Array.from({ length: 20_000 }, (_, at): EntryDraft => {
    const turn = Math.floor(at / 3);
    if (at % 3 === 0) return said(user(`Prompt ${turn}: please look at **this**.`));
    if (at % 3 === 2) return said(result(`c${turn}`, `result number ${at}\n${"some output of a command\n".repeat(8)}`));
    return priced(answer(`Answer ${turn}\n\n- one\n- two\n\n\`\`\`\ncode\n\`\`\``, call(`c${turn}`)));
  });
  const first = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "{}").id;
  const entries = chain(...drafts).map((entry, at) => (at === 0 ? { ...entry, parentId: first } : entry));
  appendFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const { code, stderr } = await ralph.run(["sessions", "export", id, "--html", "-o", "giant.html"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("giant.html")]);
  return join(ralph.workspace.project, "giant.html");
}
