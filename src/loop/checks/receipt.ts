import type { CheckResult, Receipt } from "../../protocol/receipts.ts";

export interface ReceiptFacts {
  id: string;
  run: string;
  iteration: number;
  story: string;
  candidate: { commit: string; tree: string };
  results: readonly CheckResult[];
  time: string;
}

/** The proof that all checks of a story passed on a commit. */
export function receiptFor({ candidate, results, ...facts }: ReceiptFacts): Receipt {
  const digests = results.map(({ logDigest }) => `${logDigest}\n`).join("");
  return {
    version: 1,
    id: facts.id,
    run: facts.run,
    iteration: facts.iteration,
    story: facts.story,
    commit: candidate.commit,
    tree: candidate.tree,
    command: results.map(({ command }) => command).join(" && "),
    exit: 0,
    logDigest: `sha256:${new Bun.CryptoHasher("sha256").update(digests).digest("hex")}`,
    time: facts.time,
    checks: [...results],
  };
}

/** Where the output of a check is kept. */
export function logName(receiptId: string, round: string, number: number): string {
  return `${receiptId}${round}-${number}.log`;
}
