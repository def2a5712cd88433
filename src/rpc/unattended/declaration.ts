import { asArray, asObject } from "../../protocol/json.ts";
import { type Declaration, declaration as declarationSchema } from "../command-shapes.ts";
import { SCOPES } from "../scopes.ts";
import type { TypedError } from "../typed-error.ts";
import { ACTION_NAMES } from "./action-classes.ts";

// What a host says before nobody watches any more. Nothing is filled in: what is not said is refused, and the refusal names it.

export type DeclarationReading = { ok: true; declaration: Declaration } | { ok: false; error: TypedError };

export function readDeclaration(raw: unknown): DeclarationReading {
  const object = asObject(raw);
  if (object === undefined)
    return refused("missing_declaration", `There is no declaration. It needs ${FIELDS.join(", ")}.`);
  const missing = FIELDS.filter((field) => !Object.hasOwn(object, field));
  if (missing.length > 0)
    return refused("incomplete_declaration", `The declaration lacks ${missing.join(", ")}.`, { missing });
  const budget = asObject(object.budget) ?? {};
  const unsaid = LIMITS.filter((limit) => !Object.hasOwn(budget, limit));
  if (unsaid.length > 0)
    return refused("incomplete_budget", `The budget lacks ${unsaid.join(", ")}.`, { missing: unsaid });
  const scopes = unknownIn(object.scopes, SCOPES);
  if (scopes.length > 0) return unknownNames("unknown_scope", scopes, SCOPES);
  const actions = unknownIn(object.action_allowlist, ACTION_NAMES);
  if (actions.length > 0) return unknownNames("unknown_action", actions, ACTION_NAMES);
  const read = declarationSchema.safeParse(raw);
  if (!read.success) {
    const errors = read.error.issues.map(({ path, message }) => ({ path: `/${path.join("/")}`, message }));
    const [first] = errors;
    return refused("invalid_unattended_declaration", `The declaration at ${first?.path}: ${first?.message}.`, {
      errors,
    });
  }
  return { ok: true, declaration: withoutTwins(read.data) };
}

const FIELDS = ["actor", "budget", "scopes", "action_allowlist"] as const satisfies (keyof Declaration)[];
export const LIMITS = [
  "max_tokens",
  "max_tool_calls",
  "max_wall_time_ms",
  "max_cost_usd",
] as const satisfies (keyof Declaration["budget"])[];

/** Names of the list nobody knows; a value that is no name is told by the schema. */
function unknownIn(list: unknown, known: readonly string[]): string[] {
  return asArray(list).filter((name): name is string => typeof name === "string" && !known.includes(name));
}

function unknownNames(code: string, unknown: readonly string[], known: readonly string[]): DeclarationReading {
  const shown = unknown.slice(0, MOST_SHOWN).map((name) => name.slice(0, LONGEST_SHOWN));
  return refused(code, `Nobody knows ${shown.join(", ")}. There are ${known.join(", ")}.`, {
    unknown: shown,
    known: [...known],
  });
}

const MOST_SHOWN = 20;
const LONGEST_SHOWN = 64;

function withoutTwins({ scopes, action_allowlist, ...rest }: Declaration): Declaration {
  return { ...rest, scopes: [...new Set(scopes)], action_allowlist: [...new Set(action_allowlist)] };
}

function refused(code: string, message: string, more: Omit<TypedError, "code" | "message"> = {}): DeclarationReading {
  return { ok: false, error: { code, message, ...more } };
}

/** A second declaration may only take away: why it does not, where it does not. */
export function looseningOf(next: Declaration, current: Declaration): string[] {
  const loosened: string[] = LIMITS.filter((limit) => next.budget[limit] > current.budget[limit]);
  if (next.actor !== current.actor) loosened.push("actor");
  if (next.scopes.some((scope) => !current.scopes.includes(scope))) loosened.push("scopes");
  if (!loosensNothing(next.action_allowlist, current.action_allowlist)) loosened.push("action_allowlist");
  return loosened;
}

/** Leaving out every `command.` class would allow more than naming some: then scopes alone decide about commands. */
function loosensNothing(next: readonly string[], current: readonly string[]): boolean {
  const restricts = (list: readonly string[]) => list.some((name) => name.startsWith("command."));
  return (
    next.every((name) => current.includes(name) || (!restricts(current) && name.startsWith("command."))) &&
    (!restricts(current) || restricts(next))
  );
}
