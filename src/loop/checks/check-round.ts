import { join } from "node:path";
import type { Check } from "../../protocol/loop-tasks.ts";
import type { CheckResult } from "../../protocol/receipts.ts";
import type { Repository } from "../git/repository.ts";
import { type Checkout, type CheckoutRequest, openCheckout } from "./checkout.ts";
import { logName } from "./receipt.ts";
import { runCheck, runCommand } from "./run-check.ts";

export interface CheckPlace {
  /** Where checkouts are made; removed again after each round. */
  checkouts: string;
  /** Where the output of checks is kept. */
  logs: string;
  /** All a check gets of the environment. */
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

export interface RoundRequest {
  checks: readonly Check[];
  checkout: Omit<CheckoutRequest, "folder">;
  setup: string | undefined;
  place: CheckPlace;
  receipt: { id: string };
  /** Told apart in the names of logs: "" or "-without" or "-base". */
  name: string;
}

export interface CheckRound {
  /** One for each check that was run. Where the setup failed it is the only one. */
  results: CheckResult[];
  /** How the setup failed, where it did. */
  setup?: CheckResult;
  /** There is no checkout or no shell. */
  problem?: string;
  wasStopped: boolean;
  /** When its checkout is removed. */
  cleared: Promise<void>;
}

type Outcome = Omit<CheckRound, "cleared">;

const SETUP_MS = 15 * 60 * 1000;

/** All checks of a story, one after the other, in one checkout. */
export async function runChecks(repository: Repository, request: RoundRequest): Promise<CheckRound> {
  const opened = await openCheckout(repository, { ...request.checkout, folder: request.place.checkouts });
  if (!opened.ok) {
    const wasStopped = opened.reason === "stopped";
    const problem = `The checks have no checkout to run in: ${opened.message}`;
    return { results: [], wasStopped, problem, cleared: Promise.resolve() };
  }
  const { checkout } = opened;
  const outcome = runInside(repository, request, checkout);
  const cleared = outcome.then(checkout.close, checkout.close);
  return { ...(await outcome), cleared };
}

async function runInside(repository: Repository, request: RoundRequest, checkout: Checkout): Promise<Outcome> {
  const { checks, setup, place, name } = request;
  const { environment, signal } = place;
  const common = { checkout, environment, root: repository.root, ...(signal && { signal }) };
  const log = (number: number) => join(place.logs, logName(request.receipt.id, name, number));
  if (setup !== undefined) {
    const ready = await runCommand({ ...common, logFile: log(0) }, setup, SETUP_MS);
    const { result, wasStopped } = ready;
    if (result.exit !== 0) return { results: [result], setup: result, wasStopped, ...problemOf(ready.notStarted) };
  }
  const results: CheckResult[] = [];
  for (const [at, check] of checks.entries()) {
    const { result, notStarted, wasStopped } = await runCheck({ ...common, check, logFile: log(at + 1) });
    results.push(result);
    if (wasStopped || notStarted !== undefined) return { results, wasStopped, ...problemOf(notStarted) };
  }
  return { results, wasStopped: false };
}

function problemOf(notStarted: string | undefined): { problem?: string } {
  return notStarted === undefined ? {} : { problem: `A check could not be started: ${notStarted}` };
}
