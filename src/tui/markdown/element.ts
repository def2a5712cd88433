// A block of Markdown as a tree. The parser is the runtime's own; this is the part of its answer we read.

export type Node = string | Element;

export interface Element {
  type: string;
  children: Node[];
  /** Of a link or an image. */
  address: string;
  /** Of an image. */
  description: string;
  /** Where an ordered list starts. */
  start: number;
  isChecked: boolean | undefined;
  alignment: "left" | "center" | "right" | undefined;
  language: string;
}

export function parseMarkdown(text: string): Node[] {
  const root: unknown = Bun.markdown.react(text, undefined, { autolinks: { url: true, email: true } });
  return childrenOf(propertiesOf(root));
}

function elementOf(given: unknown): Node {
  if (typeof given === "string") return given;
  const properties = propertiesOf(given);
  const { alt, start, checked, align } = properties;
  return {
    type: stringOf(field(given, "type")),
    children: childrenOf(properties),
    address: stringOf(properties.href) || stringOf(properties.src),
    description: stringOf(alt),
    start: typeof start === "number" ? start : 1,
    isChecked: typeof checked === "boolean" ? checked : undefined,
    alignment: align === "left" || align === "center" || align === "right" ? align : undefined,
    language: stringOf(properties.language),
  };
}

function childrenOf({ children }: Record<string, unknown>): Node[] {
  const list = Array.isArray(children) ? children : children === undefined || children === null ? [] : [children];
  return list.map(elementOf);
}

function propertiesOf(given: unknown): Record<string, unknown> {
  const properties = field(given, "props");
  return typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>) : {};
}

function field(given: unknown, name: string): unknown {
  return typeof given === "object" && given !== null ? (given as Record<string, unknown>)[name] : undefined;
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
