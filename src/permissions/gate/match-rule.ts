import type { AskCategory } from "../../protocol/asks.ts";
import { pathGlob } from "../paths/path-globs.ts";
import type { Segment } from "../shell/command-analysis.ts";
import { allowMatch, type CommandRule, denyMatch } from "../shell/rules.ts";
import type { PermissionRule } from "./permission-rule.ts";

// Whether a rule is about something. Paths are resolved before they come here, commands analysed, addresses parsed.

export interface RulePlaces {
  /** The workspace, where relative globs begin. */
  root: string;
  home: string;
  isOnDisk: boolean;
}

export function matchesPath(rule: PermissionRule, path: string, places: RulePlaces): boolean {
  return rule.body.type === "path" && pathGlob(rule.body.glob, places)(path);
}

/** A rule about everything of one kind. */
export function matchesCategory({ body }: PermissionRule, category: AskCategory): boolean {
  return body.type === "category" && body.category === category;
}

export function matchesHost({ body }: PermissionRule, url: URL): boolean {
  if (body.type !== "host") return false;
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  if (body.host === "") return true;
  return body.host.startsWith(".") ? host.endsWith(body.host) : host === body.host;
}

/** `server:tool`. */
export function matchesMcp({ body }: PermissionRule, resource: string): boolean {
  if (body.type !== "mcp") return false;
  const colon = resource.indexOf(":");
  return resource.slice(0, colon) === body.server && (body.tool === "*" || resource.slice(colon + 1) === body.tool);
}

/** Longer than any path or address that is meant. */
const LONGEST_RESOURCE = 4096;

export function matchesResource({ body }: PermissionRule, tool: string, resource: string): boolean {
  if (body.type !== "resource" || body.tool !== tool || resource.length > LONGEST_RESOURCE) return false;
  return body.pattern.test(resource);
}

/** A deny or ask rule is matched as widely as its words allow, an allow rule only by the very words. */
export function matchesSegment({ body, effect }: PermissionRule, segment: Segment): boolean {
  if (body.type === "every-command" || (body.type === "category" && body.category === "shell")) return true;
  if (body.type !== "command") return false;
  const { words, isExact } = body;
  if (effect !== "allow") return denyMatch(segment, [{ words, action: "deny" }]) !== undefined;
  if (isExact && segment.words.length !== words.length) return false;
  return allowMatch(segment, [{ words, action: "allow" }]) !== undefined;
}

/** The rules about commands as the analysis judges them. One for a whole command only counts where the lengths agree. */
export function commandRules(rules: readonly PermissionRule[], segments: readonly Segment[]): CommandRule[] {
  return rules.flatMap(({ body, effect }): CommandRule[] => {
    if (body.type !== "command" || effect === "ask") return [];
    const { words, isExact } = body;
    if (effect === "deny") return [{ words, action: "deny" }];
    const fits = !isExact || segments.some((segment) => segment.words.length === words.length);
    return fits ? [{ words, action: "allow" }] : [];
  });
}
