import { secretsAdded } from "../../permissions/secrets/scan.ts";
import { describeFindings } from "../../permissions/secrets/secrets-in-call.ts";
import { findRepository } from "../../sessions/undo/git-repository.ts";
import { addableTexts, stagedTexts } from "./scanned-files.ts";

export interface CommitPlace {
  command: string;
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Words with which a commit takes more than what is staged before it. */
const ADDS = /\b(add|stage|apply|rm|mv|stash)\b|\s-[A-Za-z]*[aiop]|--(all|include|only|patch|interactive)\b|\s--\s/;

/** What of it looks like a secret, as the end of "it would commit …"; undefined where there is nothing. */
export async function secretsToCommit({ command, cwd, environment }: CommitPlace): Promise<string | undefined> {
  const found = findRepository(cwd);
  if (!found.ok) return undefined;
  const world = { cwd, environment, repository: found.repository, note: () => {} };
  const changed = ADDS.test(command) ? await addableTexts(world) : await stagedTexts(world);
  if (!changed.ok) return `what nobody could look through (${changed.message.replace(/\.$/, "")})`;
  const findings = changed.texts.flatMap(({ before, text }) => secretsAdded(before, text));
  return findings.length === 0 ? undefined : describeFindings(findings);
}
