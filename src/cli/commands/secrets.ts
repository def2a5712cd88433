import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Exemptions, readExemptions, withoutExempt } from "../../permissions/secrets/exemptions.ts";
import { fingerprintedSecrets, type SecretFinding } from "../../permissions/secrets/scan.ts";
import { findRepository } from "../../sessions/undo/git-repository.ts";
import { readTextFile } from "../../system/text-file.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { printableJson } from "../printable.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { filesBelow, type ScannedText, type ScanWorld, stagedTexts } from "../secrets/scanned-files.ts";
import { counted } from "../sessions/wording.ts";
import { projectRoot } from "../settings/load-settings.ts";

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
  fingerprint: string;
}

const MOST_SHOWN = 1000;

async function report(context: RunContext, texts: AsyncIterable<ScannedText> | Iterable<ScannedText>): Promise<number> {
  const exemptions = exemptionsOf(context);
  if (exemptions === undefined) return EXIT.usage;
  const findings: Found[] = [];
  let files = 0;
  let exempt = 0;
  for await (const { path, before, text } of texts) {
    files++;
    const found = fingerprintedSecrets(before, text);
    const left = withoutExempt(found, text, exemptions);
    exempt += found.length - left.length;
    findings.push(...left.map((finding) => ({ path, ...finding })));
    if (findings.length >= MOST_SHOWN) break;
  }
  if (hasFlag(context, "json")) print(printableJson({ files, exempt, findings }));
  else print(described({ files, exempt, findings, isWhole: hasFlag(context, "fingerprints") }));
  return findings.length === 0 ? EXIT.done : EXIT.failed;
}

const IGNORE_FILE = join(".ralph", "secrets-ignore");
const MOST_BYTES = 1_000_000;

/** Undefined where the file is there and cannot be read: whoever keeps it wants it to count. */
function exemptionsOf(context: RunContext): Exemptions | undefined {
  const file = readTextFile(join(projectRoot(context.cwd), IGNORE_FILE), { maxBytes: MOST_BYTES });
  if (!file.ok && file.reason !== "missing") {
    context.note(file.message);
    return undefined;
  }
  const exemptions = readExemptions(file.ok ? file.text : "");
  const [line] = exemptions.wrongLines;
  if (line !== undefined)
    context.note(
      `${IGNORE_FILE}:${line} is no fingerprint, so it exempts nothing. See: ralph secrets scan --fingerprints`,
    );
  return exemptions;
}

interface Report {
  files: number;
  exempt: number;
  findings: readonly Found[];
  /** With fingerprints. */
  isWhole: boolean;
}

function described({ files, exempt, findings, isWhole }: Report): string {
  const lines = findings.map(({ path, line, column, kind, shown, fingerprint }) => {
    const end = isWhole ? `  ${fingerprint}` : "";
    return `${path}:${line}:${column}: ${kind} ${shown}${end}\n`;
  });
  const more = findings.length >= MOST_SHOWN ? ` (it stopped there)` : "";
  const places = findings.length === 0 ? "no secret" : counted(findings.length, "secret");
  const left = exempt === 0 ? "" : `, ${exempt} exempt`;
  return `${lines.join("")}${places} in ${counted(files, "file")}${left}${more}\n`;
}
