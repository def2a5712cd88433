import { join } from "node:path";
import { readTextFile } from "../../system/text-file.ts";
import defaultPrompt from "./prompt.md" with { type: "text" };
import understandPrompt from "./understand-prompt.md" with { type: "text" };

// Which text a prompt is made from, and what its placeholders and sections become.

export interface TemplatePlaces {
  /** The folder of the task. */
  task: string;
  /** The user's configuration and data. */
  config: string;
  data: string;
  /** The top of the project. */
  root: string;
  /** A file the person named. */
  given?: string;
}

export type TemplateKind = "run" | "understand";

/** `place` is "built in" where no file was found. */
export type FoundTemplate = { ok: true; text: string; place: string } | { ok: false; message: string };

const MAX_BYTES = 256_000;
const NAMES: Record<TemplateKind, string> = { run: "prompt.md", understand: "understand_prompt.md" };
const BUILT_IN: Record<TemplateKind, string> = { run: defaultPrompt, understand: understandPrompt };

/** The nearest template: the file that was named, the task's, the user's, the project's, the data folder's, ours. */
export function findTemplate(kind: TemplateKind, places: TemplatePlaces): FoundTemplate {
  const { given, task, config, root, data } = places;
  const folders = [task, config, root, join(root, "scripts", "ralph"), data];
  const candidates = given === undefined ? folders.map((folder) => join(folder, NAMES[kind])) : [given];
  for (const path of candidates) {
    const file = readTextFile(path, { maxBytes: MAX_BYTES });
    if (file.ok && file.text.trim() !== "") return { ok: true, text: file.text.replace(/^\uFEFF/, ""), place: path };
    if (file.ok && given !== undefined) return { ok: false, message: `${path} is empty; it should hold the prompt.` };
    const isAbsent = file.ok || (file.reason === "missing" && given === undefined);
    if (!isAbsent) return { ok: false, message: file.message };
  }
  return { ok: true, text: BUILT_IN[kind], place: "built in" };
}

/** `<!-- agent:codex -->` to `<!-- /agent -->` stays for that agent only, without the signs; several names have commas between. */
export function sectionsFor(agent: string, template: string): string {
  return template.replace(SECTION, (_, names: string, text: string) =>
    names
      .split(",")
      .map((name) => name.trim())
      .includes(agent)
      ? text
      : "",
  );
}

/** A section that is never closed goes to the next one, or to the end. */
const SECTION = /<!--\s*agent:([^>]{1,200}?)\s*-->\n?([\s\S]*?)(?:<!--\s*\/agent\s*-->\n?|(?=<!--\s*agent:)|$)/g;

export type Placeholders = Readonly<Record<string, string>>;

/** In one pass, so that nothing in a value is taken for a placeholder. What has no value stays as it is written. */
export function fillPlaceholders(template: string, values: Placeholders): string {
  return template.replace(/\{([A-Z][A-Z_]{1,30})\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? written) : written,
  );
}

export function mentions(template: string, name: string): boolean {
  return template.includes(`{${name}}`);
}
