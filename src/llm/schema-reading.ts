import { asArray, asObject, asString } from "../protocol/json.ts";

// Questions to a JSON Schema somebody else wrote. All of them are total and bounded.

const MAX_HOPS = 16;

/** The node a reference inside the same document (`#/$defs/Item`) points to. */
export function resolveLocalRef(reference: string, root: Record<string, unknown>): Record<string, unknown> | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = unescapePointer(part);
    const object = asObject(node);
    if (Array.isArray(node)) node = node[Number(key)];
    else if (object !== undefined && Object.hasOwn(object, key)) node = object[key];
    else return undefined;
  }
  return asObject(node);
}

/** Whether null is a value of this schema. A node that says nothing about its value takes everything. */
export function allowsNull(schema: unknown, root: Record<string, unknown>, hops = 0): boolean {
  const node = asObject(schema);
  if (node === undefined || hops >= MAX_HOPS) return schema === true;
  if (node.nullable === true) return true;
  const reference = asString(node.$ref);
  if (reference !== undefined) return allowsNull(resolveLocalRef(reference, root), root, hops + 1);
  if (Array.isArray(node.allOf)) return node.allOf.every((part) => allowsNull(part, root, hops + 1));
  const branches = node.anyOf ?? node.oneOf;
  if (branches !== undefined) return asArray(branches).some((branch) => allowsNull(branch, root, hops + 1));
  if (Array.isArray(node.enum) && !node.enum.includes(null)) return false;
  if (node.const !== undefined && node.const !== null) return false;
  const types = Array.isArray(node.type) ? node.type : [node.type];
  return node.type === undefined || types.includes("null");
}

function unescapePointer(part: string): string {
  return decodedUri(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
