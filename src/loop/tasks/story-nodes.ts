import { itemsOf, type JsonDocument, type JsonNode, memberOf, valueAt } from "./json-document.ts";

export type ObjectNode = Extract<JsonNode, { type: "object" }>;

/** The stories of a file by their ids, each with where it stands. */
export function storyNodes(document: JsonDocument): Map<string, { node: ObjectNode; path: string }> {
  const stories = new Map<string, { node: ObjectNode; path: string }>();
  itemsOf(memberOf(document.root, "userStories")).forEach((node, index) => {
    const id = memberOf(node, "id");
    const value = id === undefined ? undefined : valueAt(document, id);
    if (node.type === "object" && typeof value === "string")
      stories.set(value, { node, path: `userStories[${index}]` });
  });
  return stories;
}
