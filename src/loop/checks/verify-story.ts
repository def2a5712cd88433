import type { Cheat } from "../../protocol/loop-entries.ts";
import type { Check, Story } from "../../protocol/loop-tasks.ts";
import type { CheckResult, Receipt } from "../../protocol/receipts.ts";
import type { Candidate } from "../git/candidate.ts";
import { shownPath } from "../git/path-bytes.ts";
import { emptyTree, type Repository } from "../git/repository.ts";
import { readTree, type TreeEntries } from "../git/tree-entries.ts";
import { type CheckPlace, type CheckRound, runChecks } from "./check-round.ts";
import { type CheckoutRequest, copyReferences } from "./checkout.ts";
import { foldersToLink } from "./linked-folders.ts";
import { receiptFor } from "./receipt.ts";
import { putSealBack, type StorySeal } from "./seal.ts";
import { isRunnerSetting } from "./test-paths.ts";
import { treeWithoutImplementation, type WithoutImplementation } from "./without-implementation.ts";

export interface VerifyRequest {
  story: Pick<Story, "id" | "checks">;
  candidate: Candidate;
  /** Where the work on the story began; undefined where there was no commit. */
  since: string | undefined;
  /** The commit the checks were sealed at. */
  base: string | undefined;
  /** What is checked was there before the run. Nothing can be taken away from it, so passing is enough. */
  isOldWork: boolean;
  seal: StorySeal;
  /** Of the commit, for the case that it has to be made anew with sealed files put back. */
  message: string;
  /** The command that makes a checkout ready. */
  setup: string | undefined;
  /** The task's own files. */
  exclude: readonly string[];
  place: CheckPlace;
  receipt: { id: string; run: string; iteration: number };
  /** The time, ISO 8601. */
  now(): string;
}

export interface Verification {
  results: CheckResult[];
  /** Every check passes, and none passes that had to fail first. */
  passes: boolean;
  /** It passes, and at least one check fails without the work. */
  verified: boolean;
  /** Only of what is verified. */
  receipt?: Receipt;
  cheats: Cheat[];
  /** What was checked and may land: the candidate with sealed files put back. */
  candidate: Candidate;
  /** Paths the working tree still has the agent's version of. */
  putBack: readonly string[];
  /** For people: what was not proven. */
  notices: readonly string[];
  /** The checks cannot run here, whatever the agent did. */
  environmentProblem?: string;
  /** The run was stopped meanwhile; the rest says nothing. */
  wasStopped: boolean;
}

/** Runs a story's checks on a candidate, in a clean checkout, with everything sealed as it was. */
export async function verifyStory(repository: Repository, request: VerifyRequest): Promise<Verification> {
  const { candidate } = request;
  const sealed = await putSealBack(repository, request);
  if (!sealed.ok) return broken({ candidate, cheats: [], putBack: [] }, sealed.message);
  const trees = await readTrees(repository, sealed.candidate, request);
  if (typeof trees === "string") return broken(sealed, trees);
  const link = await foldersToLink(repository, trees);
  const references = copyReferences(repository);
  const cleared: Promise<void>[] = [];
  const round: Round = async (checkout, name) => {
    const { checks } = request.story;
    const run = () => runChecks(repository, { ...request, checks, checkout: { ...checkout, references, link }, name });
    const done = await run();
    cleared.push(done.cleared);
    if (done.problem === undefined || done.wasStopped || cleared.length === 1) return done;
    // A checkout that was still being removed may have had the room this one needs.
    await Promise.all(cleared);
    const again = await run();
    cleared.push(again.cleared);
    return again;
  };
  const verification = await runRounds(request, { sealed, trees, round });
  await Promise.all(cleared);
  return verification;
}

interface Rounds {
  sealed: Sealed;
  trees: Trees;
  round: Round;
}

async function runRounds(request: VerifyRequest, { sealed, trees, round }: Rounds): Promise<Verification> {
  const { tree, commit } = sealed.candidate;
  const first = await round({ tree, commit }, "");
  if (first.problem !== undefined) return broken(sealed, first.problem);
  const notices = noticesOf(trees, request.seal);
  const ended = { ...UNDECIDED, ...outcomeOf(sealed), results: first.results, notices, wasStopped: first.wasStopped };
  if (first.wasStopped) return ended;
  if (!first.results.every(({ exit }) => exit === 0)) {
    const atBase = await roundAtBase(request, first, round);
    return atBase === undefined ? ended : { ...ended, environmentProblem: atBase };
  }
  return judge({ request, ended, without: trees.without, round });
}

type Round = (checkout: Pick<CheckoutRequest, "tree" | "commit" | "objects">, name: string) => Promise<CheckRound>;

interface Trees {
  entries: TreeEntries;
  base: TreeEntries;
  without: WithoutImplementation;
}

async function readTrees(
  repository: Repository,
  candidate: Candidate,
  { base, since, exclude }: VerifyRequest,
): Promise<Trees | string> {
  const [entries, atBase, without] = await Promise.all([
    readTree(repository, candidate.tree),
    readTree(repository, base ?? emptyTree(repository)),
    treeWithoutImplementation(repository, { tree: candidate.tree, since, exclude }),
  ]);
  if (!entries.ok) return entries.message;
  if (!atBase.ok) return atBase.message;
  if (!without.ok) return without.message;
  return { entries: entries.entries, base: atBase.entries, without };
}

interface Judging {
  request: VerifyRequest;
  ended: Verification;
  without: WithoutImplementation;
  round: Round;
}

/** All checks passed. Those that pass without the work as well prove nothing. */
async function judge(judging: Judging): Promise<Verification> {
  const { request, ended, without } = judging;
  const { story, isOldWork } = request;
  const proof = isOldWork && ended.putBack.length === 0 ? ended : await withProof(judging);
  if (proof.wasStopped || proof.environmentProblem !== undefined) return proof;
  const { results } = proof;
  const passes = results.every((result, at) => !(mustFailFirst(story.checks[at]) && result.passesWithout));
  const verified = passes && results.some(({ passesWithout }) => passesWithout !== true);
  const provesNothing = results.length > 0 && results.every(({ passesWithout }) => passesWithout === true);
  const cheats = provesNothing && without.newTests.length > 0 ? [...ended.cheats, vacuous(without)] : ended.cheats;
  const judged = { ...ended, results, passes, verified, cheats };
  if (!verified) return judged;
  const receipt = receiptFor({
    ...request.receipt,
    story: story.id,
    candidate: ended.candidate,
    results,
    time: request.now(),
  });
  return { ...judged, receipt };
}

/** The same with `passesWithout` known. */
async function withProof({ request, ended, without, round }: Judging): Promise<Verification> {
  const proven = (passesWithout: (at: number) => boolean) => ({
    ...ended,
    results: ended.results.map((result, at) => ({ ...result, passesWithout: passesWithout(at) })),
  });
  if (without.takenAway.length === 0) return proven(() => true);
  const second = await round({ tree: without.tree, objects: without.objects, commit: request.since }, "-without");
  if (second.wasStopped) return { ...ended, wasStopped: true };
  if (second.problem !== undefined) return { ...ended, environmentProblem: second.problem };
  // Where the setup fails without the work, so do the checks.
  return proven((at) => second.setup === undefined && second.results[at]?.exit === 0);
}

function mustFailFirst(check: Check | undefined): boolean {
  return check?.type === "run" && check.mustFailFirst;
}

/** What fails in the same way without the work is not the agent's fault: a missing program, a setup that does not work. */
async function roundAtBase(request: VerifyRequest, first: CheckRound, round: Round): Promise<string | undefined> {
  const failed = first.setup ?? first.results.find((result) => missingProgram(result) !== undefined);
  if (failed === undefined || request.since === undefined) return undefined;
  const before = await round({ tree: `${request.since}^{tree}`, commit: request.since }, "-base");
  if (first.setup !== undefined) {
    if (before.setup === undefined) return undefined;
    return `The setup command \`${failed.command}\` fails here, without the agent's work too (exit ${before.setup.exit}). Repair it in prd.json.`;
  }
  const program = missingProgram(failed);
  const again = before.results.find(({ command }) => command === failed.command);
  if (again === undefined || missingProgram(again) !== program) return undefined;
  return `The check \`${failed.command}\` needs "${program}", which is not installed here. Install it, or set "setup" in prd.json to a command that does.`;
}

/** The name of a program the shell did not find. One given by path is a file of the project, which the agent may have to make. */
export function missingProgram({ exit, tail }: Pick<CheckResult, "exit" | "tail">): string | undefined {
  if (exit !== 126 && exit !== 127) return undefined;
  const [, name] = /(?:^|: )([^\s:/]+): (?:command not found|not found|[Pp]ermission denied)\s*$/m.exec(tail) ?? [];
  return name;
}

function vacuous({ newTests }: WithoutImplementation): Cheat {
  const names = newTests.slice(0, 5).map(shownPath).join(", ");
  return { kind: "proves-nothing", detail: `New tests (${names}) pass without the implementation as well.` };
}

function noticesOf({ entries, without }: Trees, seal: StorySeal): string[] {
  const { changedTests, takenAway } = without;
  const submodules = [...entries].flatMap(([path, { mode }]) => (mode === "160000" ? [path] : []));
  const open = changedTests.filter((path) => !seal.files.has(path));
  const settings = takenAway.filter((path) => isRunnerSetting(path) && !seal.files.has(path));
  return [
    ...(open.length > 0
      ? [`Tests that were there before were changed: ${list(open)}. List them under "sealed" to keep them.`]
      : []),
    ...(submodules.length > 0
      ? [`Submodules are empty in the checkout: ${list(submodules)}. A "setup" command can fill them.`]
      : []),
    ...(settings.length > 0 ? [`Settings of test runners were changed: ${list(settings)}.`] : []),
  ];
}

function list(paths: readonly string[]): string {
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : "";
  return paths.slice(0, 10).map(shownPath).join(", ") + more;
}

type Sealed = Pick<Verification, "candidate" | "cheats" | "putBack">;

const UNDECIDED = { results: [], passes: false, verified: false, notices: [], wasStopped: false };

function outcomeOf({ candidate, cheats, putBack }: Sealed): Sealed {
  return { candidate, cheats, putBack };
}

function broken(sealed: Sealed, environmentProblem: string): Verification {
  return { ...UNDECIDED, ...outcomeOf(sealed), environmentProblem };
}
