import { dirname, resolve } from "node:path";
import { allowedBy, type ClaudeFile } from "../../permissions/gate/claude-settings.ts";
import { obeyedFilesIn } from "../../permissions/trust/project-files.ts";
import type { TrustStore } from "../../permissions/trust/trusted-folders.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { claudeFilesOf } from "../permissions/claude-policy.ts";
import { hasPerson } from "../print/answer-in-terminal.ts";
import { inOneLine, printableJson, visible } from "../printable.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { confirm } from "../sessions/confirm.ts";
import { projectRoot } from "../settings/load-settings.ts";
import { trustStore } from "../trust/project-trust.ts";

/** `ralph trust`: shows which files of this project would be obeyed, and obeys them from then on. `--list`, `--forget [PATH]`. */
export async function trust(context: RunContext): Promise<number> {
  const store = trustStore(context);
  if (hasFlag(context, "list")) return list(context, store);
  // What Ralph started must not widen what Ralph may do.
  if (context.environment.RALPH_RUN_ID !== undefined)
    return refuse(
      context,
      "A program that Ralph started cannot change which folders are trusted. Do it in a terminal of your own.",
    );
  const root = projectRoot(context.cwd);
  if (hasFlag(context, "forget"))
    return forget(context, store, resolve(context.cwd, flagText(context, "forget") ?? root));
  if (root === dirname(root) || root === context.home)
    return refuse(
      context,
      `${root} is too wide to be trusted: every project lies in it. Go into a project and trust that.`,
    );
  return trustFolder(context, store, root);
}

function list(context: RunContext, store: TrustStore): number {
  const known = store.list();
  if (!known.ok) return refuse(context, known.message, EXIT.failed);
  if (hasFlag(context, "json")) print(printableJson(known.folders));
  else if (known.folders.length === 0) print("No folder is trusted.\n");
  else print(known.folders.map(({ path, at }) => `${visible(path)}  since ${at.slice(0, 10)}\n`).join(""));
  return EXIT.done;
}

async function forget(context: RunContext, store: TrustStore, folder: string): Promise<number> {
  const forgotten = await store.forget(folder);
  if (!forgotten.ok) return refuse(context, forgotten.message, EXIT.failed);
  const { path } = forgotten.folder;
  print(`${visible(path)} is not trusted any more.\n`);
  if (store.isTrusted(path)) print("A folder above it still is, so its files still count. See: ralph trust --list\n");
  return EXIT.done;
}

async function trustFolder(context: RunContext, store: TrustStore, root: string): Promise<number> {
  const files = claudeFilesOf(root);
  const { allows, digest } = allowedBy(files);
  const isShown = allows.length === 0 || store.allowsOf(root) === digest;
  if (store.isTrusted(root) && isShown) {
    print(`${visible(root)} is trusted already.\n`);
    return EXIT.done;
  }
  print(visible(trustOffer(root, files)));
  if (!hasFlag(context, "yes")) {
    if (!hasPerson()) return refuse(context, "Nothing was changed: nobody can be asked here. Trust it with --yes.");
    if (!(await confirm("Trust this folder?"))) return refuse(context, "Nothing was changed.", EXIT.failed);
  }
  const trusted = await store.trust(root, allows.length === 0 ? undefined : digest);
  if (!trusted.ok) return refuse(context, trusted.message, EXIT.failed);
  print(`${visible(trusted.folder.path)} is trusted. To take it back: ralph trust --forget\n`);
  return EXIT.done;
}

/** With every rule that would count, word for word: what is not shown here does not count later. */
export function trustOffer(root: string, claude: readonly ClaudeFile[]): string {
  const files = obeyedFilesIn(root);
  const rows = files.map(({ path, effect }) => `  ${path}: ${effect}\n${rulesIn(path, claude)}`).join("");
  const now =
    files.length === 0 ? "Nothing in it is obeyed now; what comes later will be.\n" : `Once it is trusted:\n${rows}`;
  return `${root} and every folder in it\n${now}`;
}

function rulesIn(path: string, claude: readonly ClaudeFile[]): string {
  const file = claude.find(({ shown }) => shown === path);
  if (file === undefined) return "";
  if (!file.ok) return `    ${file.message}: everything but looking will be asked about\n`;
  return file.entries.map(({ effect, text }) => `    ${effect.padEnd(5)}  ${inOneLine(text)}\n`).join("");
}

function refuse({ note }: RunContext, message: string, code: number = EXIT.usage): number {
  note(message);
  return code;
}
