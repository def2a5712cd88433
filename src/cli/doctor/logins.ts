import { describeStored } from "../../models/login/login-providers.ts";
import type { RunContext } from "../run-context.ts";
import type { Finding } from "./finding.ts";

/** What is stored and whether it can be opened; never what it is. No login is renewed for this. */
export async function logins({ credentials, clock, paths }: RunContext): Promise<Finding[]> {
  const subject = "logins";
  const problem = credentials.problem();
  if (problem !== undefined)
    return [{ subject, state: "failed", text: "nothing that is stored can be used", fix: problem }];
  const rows = credentials.list();
  if (rows.length === 0) return [];
  const { readEncryptionKey } = await import("../../models/stored-credentials/encryption-key.ts");
  const key = await readEncryptionKey(paths.credentials);
  if (!key.ok) return [{ subject, state: "failed", text: "nothing that is stored can be opened", fix: key.message }];
  return rows.map((row) => ({ subject, state: "ok", text: `${row.provider}: ${describeStored(row, clock.now())}` }));
}
