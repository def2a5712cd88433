import type { AskCategory } from "../../protocol/asks.ts";
import { type GrantScope, parseGrant } from "../paths/path-grants.ts";

// Rules as people write them: Read(glob), Write(glob), Bash(…), WebFetch(domain:…), Mcp(server:tool).

export type RuleEffect = "allow" | "ask" | "deny";

export interface PermissionRule {
  effect: RuleEffect;
  /** As it was written. */
  text: string;
  /** Where it was written, for people. */
  origin: string;
  body: RuleBody;
}

export type RuleBody =
  | { type: "path"; scope: GrantScope; glob: string }
  /** The first words of a command, or all of them. */
  | { type: "command"; words: readonly string[]; isExact: boolean }
  | { type: "every-command" }
  /** A host; with a leading dot everything below it. Empty for every host. */
  | { type: "host"; host: string }
  | { type: "mcp"; server: string; tool: string }
  /** Everything of one kind. Stands in for a rule that was to stop something and cannot be read. */
  | { type: "category"; category: AskCategory }
  /** What one tool may reach, by an expression. */
  | { type: "resource"; tool: string; pattern: RegExp };

export type RuleReading = { ok: true; rule: PermissionRule } | { ok: false; message: string };

export function readPermissionRule(text: string, effect: RuleEffect, origin: string): RuleReading {
  const written = text.trim();
  const groups = /^(?<name>[A-Za-z]+)(?:\((?<given>.*)\))?$/s.exec(written)?.groups;
  const read = groups?.name === undefined ? undefined : FORMS[groups.name];
  if (read === undefined) return unreadable(text, `rules begin with ${Object.keys(FORMS).join(", ")}`);
  const body = read(groups?.given?.trim());
  return typeof body === "string"
    ? unreadable(text, body)
    : { ok: true, rule: { effect, text: written, origin, body } };
}

function unreadable(text: string, why: string): RuleReading {
  return { ok: false, message: `"${text}" is no rule: ${why}` };
}

/** What stands in the brackets → the rule, or what is wrong with it. */
type Form = (given: string | undefined) => RuleBody | string;

const FORMS: Record<string, Form> = {
  Read: (given) => pathRule("Read", given),
  Write: (given) => pathRule("Write", given),
  Edit: (given) => pathRule("Write", given),
  Bash: commandRule,
  WebFetch: hostRule,
  Mcp: mcpRule,
};

function pathRule(scope: GrantScope, given: string | undefined): RuleBody | string {
  if (given === "") return "there is no path in it";
  return { type: "path", scope, glob: given ?? "/**" };
}

/** A place outside is a path; everything else is a command, whole or, before `:*`, its first words. */
function commandRule(given: string | undefined): RuleBody | string {
  if (given === undefined || given === "*") return { type: "every-command" };
  if (parseGrant(`Bash(${given})`) !== undefined && /^[/~]/.test(given))
    return { type: "path", scope: "Bash", glob: given };
  const isPrefix = /(:\*| \*)$/.test(given);
  const words = plainWords(isPrefix ? given.slice(0, -2) : given);
  if (words === undefined) return "the command in it must be plain words, with a star only at the end";
  return { type: "command", words, isExact: !isPrefix };
}

/** Words that mean the same to every shell; undefined when there is more to the command. */
export function plainWords(command: string): string[] | undefined {
  const words = command.trim().split(/ +/);
  return words.every((word) => /^[\w@%+=:,./-]+$/.test(word)) ? words : undefined;
}

export function hostRule(given: string | undefined): RuleBody | string {
  if (given === undefined || given === "*") return { type: "host", host: "" };
  const host = /^domain:(?<host>\S+)$/.exec(given)?.groups?.host?.toLowerCase();
  if (host === undefined) return "write WebFetch(domain:example.com)";
  const plain = host.replace(/^\*(?=\.)/, "");
  const isName = /^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(plain) || /^\[[0-9a-f:.]+\]$/.test(plain);
  return isName
    ? { type: "host", host: plain }
    : `${host} is not a host; a star may only stand for everything before a dot`;
}

function mcpRule(given: string | undefined): RuleBody | string {
  const groups = /^(?<server>[^:*]+)(?::(?<tool>[^:]+))?$/.exec(given ?? "")?.groups;
  if (groups?.server === undefined) return "write Mcp(server:tool) or Mcp(server:*)";
  return { type: "mcp", server: groups.server, tool: groups.tool ?? "*" };
}
