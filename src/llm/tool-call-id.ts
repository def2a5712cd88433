const MAX_LENGTH = 64;

/**
 * The id of a call in the letters and length every provider takes. Ids of another provider may be longer or hold other signs;
 * the same id always becomes the same, so a call and its result still find each other.
 */
export function wireToolCallId(id: string): string {
  if (id.length <= MAX_LENGTH && /^[A-Za-z0-9_-]+$/.test(id)) return id;
  const hash = Bun.hash(id).toString(16).padStart(16, "0");
  return `${id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_LENGTH - hash.length - 1)}_${hash}`;
}

/** The name of a tool in the letters and length every provider takes. Names of our own are such already. */
export function wireToolName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_LENGTH);
  return plain === "" ? "unnamed" : plain;
}
