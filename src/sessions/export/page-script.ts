import branches from "../../../web/export/branches.js" with { type: "text" };
import chart from "../../../web/export/chart.js" with { type: "text" };
import conversation from "../../../web/export/conversation.js" with { type: "text" };
import diff from "../../../web/export/diff.js" with { type: "text" };
import elements from "../../../web/export/elements.js" with { type: "text" };
import markdown from "../../../web/export/markdown.js" with { type: "text" };
import markdownInline from "../../../web/export/markdown-inline.js" with { type: "text" };
import markdownView from "../../../web/export/markdown-view.js" with { type: "text" };
import messageView from "../../../web/export/message-view.js" with { type: "text" };
import page from "../../../web/export/page.js" with { type: "text" };
import search from "../../../web/export/search.js" with { type: "text" };
import treeView from "../../../web/export/tree-view.js" with { type: "text" };

// The modules of the page as one script, because a page that stands alone can load none. Each keeps a scope of its own.

/** A module stands behind those it imports. */
const MODULES: readonly [name: string, source: string][] = [
  ["elements", elements],
  ["markdown-inline", markdownInline],
  ["markdown", markdown],
  ["diff", diff],
  ["markdown-view", markdownView],
  ["branches", branches],
  ["message-view", messageView],
  ["conversation", conversation],
  ["tree-view", treeView],
  ["search", search],
  ["chart", chart],
  ["page", page],
];

export function pageScript(): string {
  return ["const modules = {};", ...MODULES.map(([name, source]) => asFunction(name, source))].join("\n");
}

const IMPORT = /^import (\{[^}]*\}) from "\.\/([\w-]+)\.js";$/gm;
const EXPORT = /^export (?=(?:async )?function (\w+))/gm;

function asFunction(name: string, source: string): string {
  const given = [...source.matchAll(EXPORT)].map(([, exported]) => exported);
  const body = source
    .replace(IMPORT, (_, names: string, from: string) => `const ${names} = modules["${from}"];`)
    .replace(EXPORT, "");
  return `modules["${name}"] = (() => {\n${body}return { ${given.join(", ")} };\n})();`;
}
