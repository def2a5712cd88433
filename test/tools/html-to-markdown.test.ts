import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { decodeEntities } from "../../src/tools/html-entities.ts";
import { htmlToMarkdown } from "../../src/tools/html-to-markdown.ts";
import { htmlTokens } from "../../src/tools/html-tokens.ts";

const convert = (html: string) => htmlToMarkdown(html, { base: "https://site.test/docs/", maxCharacters: 1_000_000 });
const markdown = (html: string) => convert(html).markdown;

describe("a page", () => {
  test("keeps headings, paragraphs, links, code and the title", () => {
    const html = `<!DOCTYPE html><html><head><title>A &amp; B</title><style>p{}</style></head><body>
      <h1>Hello <a href="/x(1)">World</a></h1>
      <p>One   two<br>three &lt;b&gt; <code>a &amp; b</code>.
      <p><img alt="a pic" src=i.png> and <a href="#top">up</a>, <a href="javascript:x()">run</a>
      <pre><code class="hl language-js">let a = 1;
  b("\`\`\`")</code></pre><hr><script>if (a<b) document.write("</p>")</script>end</body>`;
    expect(convert(html)).toEqual({
      title: "A & B",
      markdown: [
        "# Hello [World](https://site.test/x%281%29)",
        "One two\nthree <b> `a & b`.",
        "![a pic](https://site.test/docs/i.png) and up, run",
        '````js\nlet a = 1;\n  b("```")\n````',
        "---",
        "end",
      ].join("\n\n"),
    });
  });

  test("keeps lists, nested ones too", () => {
    expect(
      markdown("<ul><li>one<li>two<ol><li>deep</li><li><h3>head</h3></li></ol><li><p>three<p>more</ul>after"),
    ).toBe("- one\n- two\n  1. deep\n  2. ### head\n\n- three\n\n  more\n\nafter");
  });

  test("keeps tables and quotes simply", () => {
    expect(
      markdown(
        "<table><tr><th>a<th>b|c</tr><tr><td><p>1</p><p>2</p><td></table><blockquote>q<p>r</blockquote><table><tr><td>x<table><tr><td>in</table><td>out</table>",
      ),
    ).toBe("| a | b\\|c |\n| --- | --- |\n| 1 2 |  |\n\n> q\n\n> r\n\n| x |\n| --- |\n\n| in |\n| --- |\n\nout");
  });

  test("gives a link around blocks to the first words, and none to empty ones", () => {
    expect(
      markdown("<a href=/card><div><h3>Card</h3><p>text</p></div></a><a href=/e> </a><a href=1>x<a href=2>y"),
    ).toBe("### [Card](https://site.test/card)\n\ntext\n\n[x](https://site.test/docs/1)[y](https://site.test/docs/2)");
  });
});

describe("broken HTML", () => {
  test("loses no words to stray marks, open quotes and wrong nesting", () => {
    expect([
      markdown("<p>a<p>b & c <b>x</i></b> 1 < 2 <3 </p></div></ul></table>d"),
      markdown("<<<a href='x>link</a> rest <i class=t>end</i>"),
      markdown("<p>before <code>open<p>after"),
      markdown("text <a href="),
      markdown("<svg><title>no</title><svg/></svg>yes<template>no"),
    ]).toEqual([
      "a\n\nb & c x 1 < 2 <3\n\nd",
      "<<[link](https://site.test/docs/x) rest end",
      "before `open`\n\nafter",
      "text",
      "yes",
    ]);
  });

  test("comments and declarations are nothing", () => {
    expect(markdown("a<!-- <p>x --> b<!doctype x><?php y ?>c<!-->d<!-- open")).toBe("a bcd");
  });
});

test("entities are decoded once, unknown ones stay, and addresses keep their parameters", () => {
  expect([
    decodeEntities(
      "&amp;lt; &#65;&#x42;&#0;&#xD800;&#99999999; &copy2 &nothing; &constructor; &mdash &mdash;&",
      "text",
    ),
    decodeEntities("?a=1&copy=2&amp;b=3", "attribute"),
  ]).toEqual(["&lt; AB\ufffd\ufffd\ufffd &copy2 &nothing; &constructor; &mdash —&", "?a=1&copy=2&b=3"]);
});

const piece = fc.constantFrom(
  ...["<", ">", "/", '"', "'", "=", "&", ";", "!", "--", "?", " ", "\n", "a", "`", "|", "&amp;", "&#x41;", "\0", "é"],
  ...["<p>", "</p>", "<a href=x>", "</a>", "<ul>", "<li>", "</ul>", "<pre>", "</pre>", "<code>", "</code>", "<table>"],
  ...["<tr>", "<td>", "</table>", "<h1>", "</h1>", "<script>", "</script>", "<!--", "-->", "<svg>", "<__proto__>"],
  ...["<blockquote>", "<title>", "</title>", "<br>", "<img alt=x src=y>", "<constructor>", "</toString>"],
);
const soup = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

test("any text gives a result", () => {
  fc.assert(
    fc.property(fc.oneof(soup, fc.string({ unit: "binary" })), (html) => {
      const { markdown: text, title } = convert(html);
      expect([typeof text, typeof title]).toEqual(["string", "string"]);
    }),
    { numRuns: 500 },
  );
});

test("plain words come back unchanged", () => {
  const word = fc.stringMatching(/^[a-z0-9.,:()-]{1,8}$/);
  fc.assert(
    fc.property(fc.array(fc.array(word, { minLength: 1 }), { maxLength: 6 }), (paragraphs) => {
      const html = paragraphs.map((words) => `<p class="x">\n ${words.join(" \n")} </p>`).join("");
      expect(markdown(html)).toBe(paragraphs.map((words) => words.join(" ")).join("\n\n"));
    }),
  );
});

test("every element that needs no quotes reads as the same tag with quotes", () => {
  const value = fc.stringMatching(/^[a-z0-9/.?&;-]{1,12}$/);
  fc.assert(
    fc.property(value, (href) => {
      const forms = [`<a href=${href} x>`, `<A HREF="${href}">`, `<a\n x='>' href = '${href}' href=other>`];
      const read = forms.map((form) =>
        [...htmlTokens(form)].map((token) => ("attributes" in token ? token.attributes : token)),
      );
      expect(read).toEqual(forms.map(() => [{ href: decodeEntities(href, "attribute") }]));
    }),
  );
});

test("hostile repetition is read in one pass", () => {
  const count = 30_000;
  const hostile = [
    "<a b='>'",
    '<a x="',
    "<",
    "<a ",
    "<ul><li>x",
    "<blockquote>x",
    "&",
    "<!--",
    "<pre>`",
    "<table><tr><td>",
    "<code>`",
  ];
  const long = hostile.map((text) => markdown(text.repeat(count)).length >= 0);
  expect(long).toEqual(hostile.map(() => true));
});

test("reading ends soon after the limit", () => {
  const { markdown: text } = htmlToMarkdown("<p>word".repeat(100_000), {
    base: "https://site.test/",
    maxCharacters: 100,
  });
  expect(text.length).toBeLessThan(120);
});
