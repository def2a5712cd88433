// Whether a value is what the schemas of the undo entries say, without the schemas.

type Fields = Record<string, unknown>;

const SHA256 = /^[0-9a-f]{64}$/;

export function isFileList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFileRecord);
}

export function isFileRecord(value: unknown): boolean {
  return isObject(value) && typeof value.path === "string" && isFileState(value.state);
}

export function isLeftList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => isObject(one) && typeof one.path === "string" && typeof one.why === "string")
  );
}

export function isShellSnapshot(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, manifest, index, why } = value;
  if (type === "none") return typeof why === "string";
  if (type === "folder") return isHash(manifest);
  return type === "git" && isHash(manifest) && (index === null || isHash(index));
}

function isFileState(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.type) {
    case "missing":
      return true;
    case "file":
      return (
        isHash(value.hash) &&
        typeof value.size === "number" &&
        typeof value.mode === "number" &&
        typeof value.isKept === "boolean"
      );
    case "directory":
      return typeof value.mode === "number";
    case "link":
      return typeof value.target === "string";
    default:
      return value.type === "not-kept" && typeof value.why === "string";
  }
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && SHA256.test(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
