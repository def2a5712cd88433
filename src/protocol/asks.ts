import * as z from "zod";
import { ASK_CATEGORIES } from "./ask-categories.ts";

// What a tool wants to do, said before it does it, and what was decided about it.

export const askCategory = z.enum(ASK_CATEGORIES);

/** What a command gets that the sandbox does not give by itself. */
export const commandNeeds = z.strictObject({
  network: z.boolean().optional(),
  /** Files and folders outside the workspace it may write to, absolute. */
  writable: z.array(z.string()).optional(),
  /** It runs without the sandbox. */
  unsandboxed: z.boolean().optional(),
});

/** What a person may say to an ask: for once, for this session, for good, no, or no for good. */
export const askOption = z.enum(["yes", "session", "always", "no", "never"]);

export const ask = z.strictObject({
  id: z.string(),
  tool: z.string(),
  /** The call it is asked for, as in the message that wants it. */
  toolCallId: z.string().optional(),
  category: askCategory,
  /** Resolved: absolute paths, whole addresses, `server:tool`. */
  resources: z.array(z.string()),
  /** Where a command would run, absolute. */
  cwd: z.string().optional(),
  /** The rules a person may keep instead of being asked again, as they would be written in `permissions`. */
  rules: z.array(z.string()).optional(),
  /** What a command wants beyond the sandbox. A yes gives it to this one command. */
  needs: commandNeeds.optional(),
  /** What a person reads. */
  summary: z.string(),
  /** Why a person is asked although it would be allowed otherwise. */
  warning: z.string().optional(),
  /** Why a yes is needed. */
  reason: z.string().optional(),
  /** Of everything that decides what would happen. An answer counts for this and nothing else, once. */
  digest: z.string(),
  /** What the digest is of, in words. */
  boundTo: z.array(z.string()),
  options: z.array(askOption),
  /** From this moment on the answer is no. Milliseconds since 1970. */
  expiresAt: z.number(),
});

/** `tier` names the step of the decision order that decided, `rule` the rule or grant itself where one did. */
export const decision = z.strictObject({
  effect: z.enum(["allow", "ask", "deny"]),
  tier: z.enum(["mode", "protected", "deny-rule", "ask-rule", "back-off", "grant", "category", "person", "headless"]),
  rule: z.string().optional(),
  reason: z.string(),
});

export type AskCategory = z.infer<typeof askCategory>;
export type CommandNeeds = z.infer<typeof commandNeeds>;
export type AskOption = z.infer<typeof askOption>;
export type Ask = z.infer<typeof ask>;
export type Decision = z.infer<typeof decision>;
