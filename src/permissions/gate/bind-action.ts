import type { AskDraft } from "../../protocol/tool-runs.ts";
import { type ActionParts, changedParts, digestOf } from "./action-digest.ts";
import { contentOf, identityOf, programAt, textDigest } from "./describe-file.ts";

/** An action as it was when it was decided about. */
export interface BoundAction {
  digest(): string;
  /** What the decision counts for, in words. */
  parts: string[];
  /** What is no longer as it was, in the same words. */
  changes(): string[];
}

export interface ActionWorld {
  workspace: string;
  home: string;
  /** What reaches a command. */
  environment(): Readonly<Record<string, string | undefined>>;
}

/** `quick` looks at what things are; `whole`, for what a person is shown, at what is in them as well. */
export type BindingDepth = "quick" | "whole";

/** Remembers everything that decides what would happen. Nothing is changed or run. */
export async function bindAction(ask: AskDraft, world: ActionWorld, depth: BindingDepth): Promise<BoundAction> {
  const look = ask.category === "shell" ? await commandLook(ask, world, depth) : resourceLook(ask, depth);
  const parts = look();
  return {
    digest: () => digestOf(parts),
    parts: Object.keys(parts),
    changes: () => changedParts(parts, look()),
  };
}

type Look = () => ActionParts;

/** A read may be of a file that grows; what is written over was seen by somebody, so its content counts. */
function resourceLook({ category, resources }: AskDraft, depth: BindingDepth): Look {
  if (category !== "file_read" && category !== "file_write") return () => ({ "the request": resources.join("\n") });
  const describe = depth === "whole" && category === "file_write" ? contentOf : identityOf;
  return () =>
    Object.fromEntries(
      resources.flatMap((path) => [
        [path, describe(path)],
        [`the folder of ${path}`, identityOf(path.slice(0, path.lastIndexOf("/")) || "/")],
      ]),
    );
}

/** The analysis of a command never changes; what stands at the places it names may. */
async function commandLook(ask: AskDraft, world: ActionWorld, depth: BindingDepth): Promise<Look> {
  const { commandPlaces } = await import("./bound-places.ts");
  const [command = ""] = ask.resources;
  const cwd = ask.cwd ?? world.workspace;
  const { programs, scripts } = commandPlaces(command, { cwd, home: world.home });
  const fixed = {
    "the command": textDigest(command),
    "what it gets beyond the sandbox": JSON.stringify(ask.needs ?? {}),
  };
  return () => {
    const environment = world.environment();
    const path = environment.PATH ?? "";
    return {
      ...fixed,
      [`the folder ${cwd}`]: identityOf(cwd),
      "the environment": textDigest(JSON.stringify(Object.entries(environment).sort())),
      ...Object.fromEntries(programs.map((name) => [`the program ${name}`, programAt(name, path)])),
      ...(depth === "quick" ? {} : Object.fromEntries(scripts.map((file) => [`the file ${file}`, contentOf(file)]))),
    };
  };
}
