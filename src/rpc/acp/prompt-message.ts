import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { UserMessage } from "../../protocol/messages.ts";
import { isBase64 } from "../base64.ts";

export type ReadPrompt = { ok: true; message: UserMessage } | { ok: false; message: string };

type Part = UserMessage["content"][number];
type Read = { ok: true; part: Part } | { ok: false; message: string };

/** What an editor sends as a prompt, as the agent takes it. Nothing is left out silently. Pure. */
export function promptMessage(blocks: readonly ContentBlock[]): ReadPrompt {
  const content: Part[] = [];
  for (const block of blocks) {
    const read = readBlock(block);
    if (!read.ok) return read;
    content.push(read.part);
  }
  const isEmpty = content.every((part) => part.type === "text" && part.text.trim() === "");
  return isEmpty
    ? { ok: false, message: "The prompt is empty." }
    : { ok: true, message: { role: "user", content: joined(content) } };
}

function readBlock(block: ContentBlock): Read {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return picture(block.mimeType, block.data);
    case "resource_link":
      return text(linkText(block));
    case "resource":
      return resource(block.resource);
    default:
      return { ok: false, message: `A prompt cannot hold ${block.type}.` };
  }
}

const PICTURES = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;

function picture(mediaType: string, data: string): Read {
  if (!PICTURES.test(mediaType))
    return { ok: false, message: `${mediaType} cannot be sent: PNG, JPEG, GIF, WebP and PDF can.` };
  if (!isBase64(data)) return { ok: false, message: `The data of a picture (${mediaType}) is not base64.` };
  return { ok: true, part: { type: "image", mediaType, data } };
}

/** The model reads what it needs of it; the gate decides then. */
function linkText({ name, uri }: { name: string; uri: string }): string {
  const path = pathOf(uri);
  return path === undefined
    ? `<resource name="${escaped(name)}" uri="${escaped(uri)}" />`
    : `<resource name="${escaped(name)}" path="${escaped(path)}" />`;
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

function resource(given: Resource): Read {
  if ("text" in given) {
    const path = pathOf(given.uri);
    const where = path === undefined ? `uri="${escaped(given.uri)}"` : `path="${escaped(path)}"`;
    return text(`<file ${where}>\n${given.text.trimEnd()}\n</file>`);
  }
  if (given.mimeType !== null && given.mimeType !== undefined) return picture(given.mimeType, given.blob);
  return { ok: false, message: `${given.uri} holds bytes without a type, which cannot be sent.` };
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function text(words: string): Read {
  return { ok: true, part: { type: "text", text: words } };
}

/** Editors cut a sentence at every mention in it; the model reads it as it was written. */
function joined(content: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const part of content) {
    const last = parts.at(-1);
    if (part.type === "text" && last?.type === "text")
      parts[parts.length - 1] = { type: "text", text: glued(last.text, part.text) };
    else parts.push(part);
  }
  return parts;
}

function glued(before: string, after: string): string {
  const isWhole = before.endsWith("</file>") || after.startsWith("<file ");
  return isWhole ? `${before}\n\n${after}` : before + after;
}
