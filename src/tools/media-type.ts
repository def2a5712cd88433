const SIGNATURES: readonly { mediaType: string; matches(bytes: Uint8Array): boolean }[] = [
  { mediaType: "image/png", matches: (bytes) => startsWith(bytes, "\x89PNG\r\n\x1a\n") },
  { mediaType: "image/jpeg", matches: (bytes) => startsWith(bytes, "\xff\xd8\xff") },
  { mediaType: "image/gif", matches: (bytes) => startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a") },
  { mediaType: "image/webp", matches: (bytes) => startsWith(bytes, "RIFF") && startsWith(bytes.subarray(8), "WEBP") },
  { mediaType: "application/pdf", matches: (bytes) => startsWith(bytes, "%PDF-") },
];

/** By the first bytes, never by the name. Undefined for everything a model cannot look at as it is. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(({ matches }) => matches(bytes))?.mediaType;
}

function startsWith(bytes: Uint8Array, signature: string): boolean {
  for (let index = 0; index < signature.length; index++) {
    if (bytes[index] !== signature.charCodeAt(index)) return false;
  }
  return true;
}
