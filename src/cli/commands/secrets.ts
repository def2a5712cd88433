import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type SecretFinding, secretsAdded } from "../../permissions/secrets/scan.ts";
import { findRepository } from "../../sessions/undo/git-repository.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { printableJson } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { filesBelow, type ScannedText, type ScanWorld, stagedTexts } from "../secrets/scanned-files.ts";
import { counted } from "../sessions/wording.ts";

/** `ralph secrets scan [PATHS | --staged]`: keys and passwords in files, or in what would be committed. Exit code 1 where there are some. */
export async function secrets(context: RunContext): Promise<number> {
  const [word, ...paths] = context.arguments.words;
  if (word !== "scan")
    return refuse(context, "Say what to do: ralph secrets scan [PATH…] or ralph secrets scan --staged");
  const missing = paths.find((path) => !existsSync(resolve(context.cwd, path)));
  if (missing !== undefined) return refuse(context, `There is no file or folder ${missing} here.`);
  const found = findRepository(context.cwd);
  const { cwd, environment, note } = context;
  const world: ScanWorld = { cwd, environment, repository: found.ok ? found.repository : undefined, note };
  if (!hasFlag(context, "staged")) return report(context, filesBelow(paths.length === 0 ? ["."] : paths, world));
  if (paths.length > 0) return refuse(context, "--staged looks at everything that is staged; leave the paths out.");
  if (!found.ok && found.why !== undefined) return refuse(context, `--staged is not possible here: ${found.why}.`);
  const staged = await stagedTexts(world);
  return staged.ok ? report(context, staged.texts) : refuse(context, staged.message);
}

function refuse({ note }: RunContext, message: string): number {
  note(message);
  return EXIT.usage;
}

interface Found extends SecretFinding {
  path: string;
}

const MOST_SHOWN = 1000;

async function report(context: RunContext, texts: AsyncIterable<ScannedText> | Iterable<ScannedText>): Promise<number> {
  const findings: Found[] = [];
  let files = 0;
  for await (const { path, before, text } of texts) {
    files++;
    findings.push(...secretsAdded(before, text).map((finding) => ({ path, ...finding })));
    if (findings.length >= MOST_SHOWN) break;
  }
  if (hasFlag(context, "json")) print(printableJson({ files, findings }));
  else print(described(files, findings));
  return findings.length === 0 ? EXIT.done : EXIT.failed;
}

function described(files: number, findings: readonly Found[]): string {
  const lines = findings.map(({ path, line, column, kind, shown }) => `${path}:${line}:${column}: ${kind} ${shown}\n`);
  const more = findings.length >= MOST_SHOWN ? ` (it stopped there)` : "";
  const places = findings.length === 0 ? "no secret" : counted(findings.length, "secret");
  return `${lines.join("")}${places} in ${counted(files, "file")}${more}\n`;
}
