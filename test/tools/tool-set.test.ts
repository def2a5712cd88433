import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Tool } from "../../src/protocol/tool-runs.ts";
import { nearestChoices } from "../../src/system/nearest.ts";
import { defineTool, textOutput } from "../../src/tools/define-tool.ts";
import { MODES } from "../../src/tools/modes.ts";
import { createSearchTools, rankTools } from "../../src/tools/search-tools.ts";
import {
  advertise,
  createToolSet,
  enterMode,
  findTool,
  hiddenTools,
  unknownTool,
  withTools,
} from "../../src/tools/tool-set.ts";
import { callTool, said } from "../support/call-tool.ts";

const tool = (name: string, description = name, more: { aliases?: string[]; isReadOnly?: boolean } = {}): Tool =>
  defineTool({
    name,
    description,
    aliases: more.aliases ?? [],
    fields: {},
    isReadOnly: more.isReadOnly ?? true,
    asks: () => [],
    run: async () => textOutput(name),
  });

const tools = [
  tool("web_fetch", "Get a web page as Markdown.\nMore."),
  tool("read_file", "Read a file", { aliases: ["read"] }),
  tool("write_file", "Write a file", { aliases: ["Write"], isReadOnly: false }),
  tool("remember", "Keep a memory for later sessions", { isReadOnly: false }),
  tool("recall_memories", "Find memories by meaning"),
];
const core = ["write_file", "read_file"];
const names = (set: { advertised: readonly { name: string }[] }) => set.advertised.map(({ name }) => name);

describe("what is advertised", () => {
  test("is the core in its order, then what was added, in the order it was added", () => {
    const set = createToolSet({ tools, core, mode: "default" });
    expect(advertise(advertise(set, ["remember", "nobody"]), ["web_fetch", "remember"]).advertised).toEqual([
      definition("write_file", "Write a file"),
      definition("read_file", "Read a file"),
      definition("remember", "Keep a memory for later sessions"),
      definition("web_fetch", "Get a web page as Markdown.\nMore."),
    ]);
  });

  test("starts without what the first mode forbids and gets it at the end when the mode is left", () => {
    const set = createToolSet({ tools, core, mode: "plan" });
    const later = enterMode(advertise(set, ["web_fetch"]), "default");
    expect([names(set), names(later), names(enterMode(later, "plan"))]).toEqual([
      ["read_file"],
      ["read_file", "web_fetch", "write_file"],
      ["read_file", "web_fetch", "write_file"],
    ]);
  });

  test("stays as it was said when tools come, go or change, and when a session is resumed", () => {
    const set = createToolSet({ tools, core, mode: "default" });
    const changed = withTools(set, [tool("read_file", "Other words"), tool("new_one")]);
    const resumed = createToolSet({ tools: changed.tools, core, mode: "default", advertised: set.advertised });
    expect([changed.advertised, resumed.advertised]).toEqual([set.advertised, set.advertised]);
  });

  test("only ever grows at its end", () => {
    const step = fc.oneof(
      fc.constantFrom(...MODES).map((mode) => ({ mode })),
      fc.array(fc.constantFrom(...tools.map(({ name }) => name), "x")).map((added) => ({ added })),
      fc.subarray(tools).map((left) => ({ left })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...MODES), fc.array(step), (mode, steps) => {
        let set = createToolSet({ tools, core, mode });
        for (const each of steps) {
          const before = JSON.stringify(set.advertised).slice(0, -1);
          if ("mode" in each) set = enterMode(set, each.mode);
          else if ("added" in each) set = advertise(set, each.added);
          else set = withTools(set, each.left);
          expect(JSON.stringify(set.advertised).startsWith(before)).toBe(true);
          expect(new Set(names(set)).size).toBe(set.advertised.length);
        }
      }),
    );
  });
});

describe("finding a tool", () => {
  const set = createToolSet({ tools: [...tools, tool("read_file", "An impostor")], core, mode: "default" });

  test("goes by name, alias and other capitals, and the first of a name counts", () => {
    const found = ["read_file", "read", "Read", "WRITE_FILE", " remember ", "nothing"].map(
      (name) => findTool(set, name)?.description,
    );
    expect(found).toEqual([
      "Read a file",
      "Read a file",
      "Read a file",
      "Write a file",
      "Keep a memory for later sessions",
      undefined,
    ]);
  });

  test("an unknown name is answered with the nearest ones, else with those advertised", () => {
    expect([unknownTool(set, "raed_file", nearestChoices), unknownTool(set, "zzzzzzzzzzzz", nearestChoices)]).toEqual([
      'There is no tool named "raed_file". Did you mean read_file, write_file?',
      'There is no tool named "zzzzzzzzzzzz". There are: write_file, read_file.',
    ]);
  });

  test("hidden are those a search may still add in this mode", () => {
    const hidden = (mode: "default" | "plan") => hiddenTools(set, mode).map(({ name }) => name);
    expect([hidden("default"), hidden("plan")]).toEqual([
      ["web_fetch", "remember", "recall_memories"],
      ["web_fetch", "recall_memories"],
    ]);
  });
});

describe("search_tools", () => {
  function shelf(hidden: Tool[] = tools) {
    const added: string[] = [];
    const search = createSearchTools({ hidden: () => hidden, add: (some) => added.push(...some) });
    return { added, call: (input: Record<string, unknown>) => callTool(search, input) };
  }

  test("adds what it found, best first, and says so", async () => {
    const { added, call } = shelf();
    expect(await call({ query: "web pages" })).toEqual(
      said("Added, ready to call:\n- web_fetch: Get a web page as Markdown.", { added: ["web_fetch"] }),
    );
    expect(added).toEqual(["web_fetch"]);
  });

  test("a whole name comes before words, a name before a description", () => {
    const ranked = (query: string) => rankTools(query, tools).map(({ name }) => name);
    expect([ranked("memory"), ranked("remember"), ranked("file read"), ranked("the of")]).toEqual([
      ["recall_memories", "remember"],
      ["remember"],
      ["read_file", "write_file"],
      [],
    ]);
  });

  test("nothing found adds nothing and shows the names", async () => {
    const { added, call } = shelf(tools.slice(0, 2));
    expect([await call({ query: "quantum" }), await shelf([]).call({ query: "quantum" })]).toEqual([
      said('No tool matches "quantum". Search with one of these names: web_fetch, read_file.', { added: [] }),
      said("There are no further tools: all are advertised already.", { added: [] }),
    ]);
    expect(added).toEqual([]);
  });

  test("the limit is kept", async () => {
    const { added, call } = shelf();
    await call({ query: "file", limit: 1 });
    expect(added).toEqual(["read_file"]);
  });
});

function definition(name: string, description: string) {
  const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
  return { name, description, parameters };
}
