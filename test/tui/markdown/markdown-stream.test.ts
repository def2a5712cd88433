import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createMarkdownStream, renderMarkdown } from "../../../src/tui/markdown/markdown-stream.ts";
import { type BlockPlace, renderMarkdownBlock } from "../../../src/tui/markdown/render-block.ts";
import { type Line, lineWidth, textOf } from "../../../src/tui/style/styled-line.ts";
import { createTheme } from "../../../src/tui/style/theme.ts";

const OPTIONS = { theme: createTheme("dark"), hasLinks: true };
const shown = (text: string, width = 60) => renderMarkdown(text, width, OPTIONS).map(textOf);

const PIECES = [
  "# Heading\n",
  "plain text ",
  "**bold** ",
  "*em",
  "`code` ",
  "[link](https://a.b)",
  "\n",
  "\n\n",
  "- item\n",
  "  - nested\n",
  "1. first\n",
  "2. second\n\n",
  "   in it\n",
  "> quote\n",
  "```ts\n",
  "```\n",
  "~~~\n",
  "  ```\n",
  "let x = 1 // y\n",
  "/* open\n",
  "| a | b |\n|---|--:|\n",
  "| 1 | 2 |\n",
  "---\n",
  "===\n",
  "<div>\n",
  "<!-- c\n",
  "-->\n",
  "    indented\n",
  "\tcode\n",
  "[ref]: https://x.y\n",
  "漢字 👩‍👩‍👧‍👦 ",
  "\x1b[31mred\x1b[0m",
  "\r\n",
  "&#27;[2J ",
];
const document = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((pieces) => pieces.join(""));

describe("streamed Markdown", () => {
  test("is at the end what the whole text at once would be, however it was cut", () => {
    fc.assert(
      fc.property(
        document,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.constantFrom(9, 20, 60),
        (text, cuts, width) => {
          expect(streamed(text, cuts, width)).toEqual(renderMarkdown(text, width, OPTIONS));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("with what is open is at every moment what is there so far", () => {
    const text = "# A\n\nSome *text*\n\n```ts\nlet a = 1\n\nlet b";
    const stream = createMarkdownStream(OPTIONS);
    const finished: Line[] = [];
    for (const [index, character] of [...text].entries()) {
      stream.append(character);
      finished.push(...stream.takeFinished(40));
      const now = [...finished, ...stream.openRows(40)].map(textOf);
      if (!/`$/.test(text.slice(0, index + 1))) expect(now).toEqual(shown(text.slice(0, index + 1), 40));
    }
    expect(finished.map(textOf)).toEqual(["# A", "", "Some text", "", "  let a = 1", ""]);
  });

  test("never has a row wider than the width, and no control characters", () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 12, max: 60 }), (text, width) => {
        const rows = renderMarkdown(text, width, OPTIONS);
        expect(rows.filter((row) => lineWidth(row) > width || /\p{Cc}/u.test(textOf(row)))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("cut into blocks means what it means as a whole", () => {
    const place: BlockPlace = { ...OPTIONS, width: 60 };
    for (const text of WHOLE_TEXTS)
      expect([text, shown(text)]).toEqual([text, renderMarkdownBlock(text, place).map(textOf)]);
  });
});

const WHOLE_TEXTS = [
  "a\n\nb\nc\n# h\ntext\n***\nnext",
  "setext\n===\n\nother\n---\nrest",
  "- a\n- b\n\n  more\n\n- c\n\nafter",
  "- a\n\n      code in item\n\n  ```js\n  x\n\n  y\n  ```\n\nafter",
  "1. a\n   - b\n     - c\n2. d\n\n\nend",
  "> a\nlazy\n\n> b\n\n> - c\n> - d",
  "text\n```\ncode\n\nmore\n```\nrest",
  "- a\n```\ncode\n\nmore\n```\nrest",
  "    code\n\n    more\n\ntext",
  "<!-- a\n\nb -->\n\ntext",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\nafter",
  "para\n- list\n\n  in list\n\nout",
  "* * *\n- - -\ntext",
];

describe("Markdown", () => {
  test("in a wide terminal", () => {
    expect(shown(SAMPLE)).toMatchSnapshot();
  });

  test("in a narrow terminal", () => {
    expect(shown(SAMPLE, 26)).toMatchSnapshot();
  });

  test("in ASCII, with addresses written out", () => {
    const rows = renderMarkdown(SAMPLE, 60, { theme: createTheme("ascii"), hasLinks: false });
    expect(rows.map(textOf).join("\n")).toMatch(/^[\n -~]*$/);
  });

  test("colours code over line ends", () => {
    const rows = renderMarkdown("```ts\n/* a\nb */ let\n```", 60, OPTIONS);
    const { comment, keyword } = OPTIONS.theme.styles;
    expect(rows.map((row) => row.map(({ style }) => style))).toEqual([
      [{}, comment],
      [{}, comment, {}, keyword],
    ]);
  });

  test("shows nothing of control sequences, wherever they stand", () => {
    expect(shown("\x1b[31mred\x1b[0m `\x1b]0;t\x07x`\n\n```\n\x1b[2Jcode\n```\n&#27;[2J")).toEqual([
      "red x",
      "",
      "  code",
      "",
      "[2J",
    ]);
  });

  test("keeps the looks of what is in it", () => {
    const { styles } = OPTIONS.theme;
    expect(renderMarkdown("a **b *c*** `d` [e](https://f.g) ~~h~~", 60, OPTIONS)).toEqual([
      [
        { text: "a ", style: {} },
        { text: "b ", style: styles.strong },
        { text: "c", style: { ...styles.strong, ...styles.emphasis } },
        { text: " ", style: {} },
        { text: "d", style: styles.code },
        { text: " ", style: {} },
        { text: "e", style: { ...styles.link, link: "https://f.g" } },
        { text: " ", style: {} },
        { text: "h", style: { strikethrough: true } },
      ],
    ]);
  });
});

const SAMPLE = `# Title with **bold**

Text with *emphasis*, \`code\`, a [link](https://example.org/a) and https://example.com, long enough to wrap.
Second line.

- one
- two with a long text that must be wrapped because it does not fit
  - nested
    1. deep
- [x] done
- [ ] open

9. ninth

10. tenth

    a paragraph in it

> quoted
> - list in quote

\`\`\`ts
const x = "string"; // comment that is long

\`\`\`

| name | amount | note |
|:-----|-------:|:----:|
| apples | 12 | round and red, mostly sweet |
| pears | 3 | x |

---
[ref]: https://x.y

![logo](logo.png) ~~gone~~ <b>html</b>
`;

describe("a line without an end", () => {
  const ENDLESS = '{"a":[1,2],"b_c":"*x* 😀"},'.repeat(20_000);

  test("is given away in pieces, the same however it comes, and nothing of it is lost", () => {
    const whole = renderMarkdown(ENDLESS, 80, OPTIONS).map(textOf);
    expect(streamed(ENDLESS, [50_001, 7], 80).map(textOf)).toEqual(whole);
    expect(whole.join("").replaceAll(" ", "")).toBe(ENDLESS.replaceAll("*x*", "x").replaceAll(" ", ""));
  });

  test("is not cut within a character", () => {
    const text = `${"x".repeat(32 * 1024 - 1)}😀${"y".repeat(10)}`;
    expect(shown(text).join("")).toBe(text);
  });

  test("leaves only its last piece to be drawn with every frame", () => {
    const stream = createMarkdownStream(OPTIONS);
    stream.append("x".repeat(5_000_000));
    const rows = stream.openRows(80).length;
    expect([rows > 0, rows <= (32 * 1024) / 80 + 1]).toEqual([true, true]);
  });
});

function streamed(text: string, cuts: number[], width: number): Line[] {
  const stream = createMarkdownStream(OPTIONS);
  const rows: Line[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = cuts[turn % cuts.length] ?? 1;
    stream.append(text.slice(at, at + size));
    rows.push(...stream.takeFinished(width));
    stream.openRows(width);
    at += size;
  }
  stream.finish();
  return [...rows, ...stream.takeFinished(width)];
}
