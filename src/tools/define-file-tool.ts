import type { AskDraft, Tool, ToolContext, ToolOutput } from "../protocol/tool-runs.ts";
import type { PinnedPlace } from "../system/pinned-place.ts";
import { defineTool, failedOutput, type ToolRow } from "./define-tool.ts";
import type { HostAddresses } from "./host-addresses.ts";
import type { Fields, InputOf } from "./input-fields.ts";
import { type PathResolution, type ResolvedPath, type ResolveOptions, resolvePath } from "./resolve-path.ts";
import type { ToolWorld } from "./tool-world.ts";

export type Access = "read" | "write";

/** A path a call works on, as the model wrote it. */
export interface PathUse extends ResolveOptions {
  path: string;
  access: readonly Access[];
}

export interface FileToolRow<F extends Fields> extends Omit<ToolRow<F>, "asks" | "run"> {
  paths(input: InputOf<F>): PathUse[];
  /** One line for a person; the paths are shown as they resolved, in the order of `paths`. */
  summary(shown: string[], input: InputOf<F>): string;
  run(call: FileCall<InputOf<F>>, context: ToolContext): Promise<ToolOutput>;
  /** Takes addresses in place of its path, too. Nobody is asked: whoever holds what is there decides. */
  runHosted?(call: HostedCall<InputOf<F>>, context: ToolContext): Promise<ToolOutput>;
}

export interface HostedCall<Input> {
  input: Input;
  url: string;
  addresses: HostAddresses;
}

export interface FileCall<Input> {
  input: Input;
  /** Resolved, in the order of `paths`. */
  paths: PinnedPath[];
}

/** A path as it was when it was asked about. */
export interface PinnedPath extends ResolvedPath {
  pin: PinnedPlace;
}

/**
 * A tool that works on files. Its paths are resolved and pinned for the ask; when it runs and something else stands there by then,
 * nothing is done, because nobody was asked about that. What it opens goes through the pin.
 */
export function defineFileTool<F extends Fields>(world: ToolWorld, row: FileToolRow<F>): Tool {
  const asked = new WeakMap<InputOf<F>, (PinnedPath | { ok: false; message: string })[]>();
  const hosted = new WeakMap<InputOf<F>, HostedCall<InputOf<F>>>();
  const resolveAll = (input: InputOf<F>) => row.paths(input).map((use) => resolvePath(world, use.path, use));
  return defineTool({
    ...row,
    asks(input) {
      const call = row.runHosted === undefined ? undefined : hostedCall(world, row, input);
      if (call !== undefined) hosted.set(input, call);
      if (call !== undefined) return [];
      const resolutions = resolveAll(input);
      asked.set(
        input,
        resolutions.map((found) => (found.ok ? { ...found, pin: world.pin(found.path) } : found)),
      );
      const paths = resolutions.filter((resolution) => resolution.ok);
      if (paths.length < resolutions.length) return [];
      const uses = row.paths(input).map((use, index) => ({ access: use.access, path: paths[index]?.path ?? "" }));
      return asksFor(
        uses,
        row.summary(
          paths.map(({ shown }) => shown),
          input,
        ),
      );
    },
    async run(input, context) {
      const call = hosted.get(input);
      if (call !== undefined && row.runHosted !== undefined) return row.runHosted(call, context);
      const paths: PinnedPath[] = [];
      for (const [index, then] of (asked.get(input) ?? []).entries()) {
        if (!then.ok) return failedOutput(then.message);
        if (!then.pin.isUnmoved()) return failedOutput(movedMessage(then, resolveAll(input)[index]));
        paths.push(then);
      }
      return row.run({ input, paths }, context);
    },
  });
}

function hostedCall<F extends Fields>(
  { addresses }: ToolWorld,
  row: FileToolRow<F>,
  input: InputOf<F>,
): HostedCall<InputOf<F>> | undefined {
  const url = row.paths(input)[0]?.path.trim() ?? "";
  return addresses?.isHosted(url) ? { input, url, addresses } : undefined;
}

function movedMessage(then: PinnedPath, now: PathResolution | undefined): string {
  if (now?.ok === false) return now.message;
  return now !== undefined && now.path !== then.path
    ? `${now.shown} leads somewhere else than a moment ago. Try again.`
    : `${then.shown} is no longer what it was when it was asked about. Try again.`;
}

/** One ask for everything read, one for everything written. */
function asksFor(uses: { access: readonly Access[]; path: string }[], summary: string): AskDraft[] {
  return (["read", "write"] as const).flatMap((access) => {
    const resources = uses.filter((use) => use.access.includes(access)).map(({ path }) => path);
    return resources.length === 0 ? [] : [{ category: `file_${access}` as const, resources, summary }];
  });
}
