import { asObject, asString } from "../../protocol/json.ts";

/** The scripts of a package.json; undefined where it is none. */
export function readScripts(text: string): Record<string, string> | undefined {
  const manifest = readManifest(text);
  if (manifest === undefined) return undefined;
  const scripts = Object.entries(asObject(manifest.scripts) ?? {});
  return Object.fromEntries(
    scripts.flatMap(([name, value]) => {
      const command = asString(value);
      return command === undefined ? [] : [[name, command]];
    }),
  );
}

/** The same package.json with some scripts set, or taken out where the value is undefined. Undefined where it is no package.json. */
export function withScripts(text: string, values: ReadonlyMap<string, string | undefined>): string | undefined {
  const manifest = readManifest(text);
  if (manifest === undefined) return undefined;
  const scripts: Record<string, unknown> = { ...asObject(manifest.scripts) };
  for (const [name, value] of values) {
    if (value === undefined) delete scripts[name];
    else scripts[name] = value;
  }
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? 2;
  return `${JSON.stringify({ ...manifest, scripts }, null, indent)}${text.endsWith("\n") ? "\n" : ""}`;
}

function readManifest(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
