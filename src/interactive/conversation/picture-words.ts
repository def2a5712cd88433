import type { ImagePart } from "../../protocol/messages.ts";

/** A picture in a place where only words can stand. */
export function pictureWords({ mediaType, data }: Pick<ImagePart, "mediaType" | "data">): string {
  return `[${mediaType}, ${shownBytes(pictureBytes(data))}]`;
}

/** How many bytes a text in base64 stands for. */
export function pictureBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

function shownBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
