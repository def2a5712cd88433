import * as z from "zod";
import { askCategory } from "./asks.ts";
import { EFFORTS } from "./effort.ts";
import { cacheRetention } from "./models.ts";

// Every setting by its dotted key. `setting-rows.ts` says what each one is by default, which environment variable sets it, and
// whether a project may.

/** A plain entry counts everywhere, a scoped one in the named folders and below. */
const scoped = z.union([
  z.string(),
  z.strictObject({
    path: z.string().optional(),
    paths: z.array(z.string()).optional(),
    pathPrefix: z.string().optional(),
    pathPrefixes: z.array(z.string()).optional(),
    models: z.array(z.string()).optional(),
    providers: z.array(z.string()).optional(),
    values: z.array(z.string()).optional(),
  }),
]);

const count = z.number().int().min(0).max(20);
const seconds = z.number().positive().max(86_400);

/** `Read(glob)`, `Write(glob)`, `Bash(…)`, `WebFetch(domain:…)`, `Mcp(server:tool)`, with examples the rule is tried on when it is read. */
const permissionRule = z.union([
  z.string().min(1),
  z.strictObject({
    rule: z.string().min(1),
    match: z.array(z.string()).optional(),
    not_match: z.array(z.string()).optional(),
  }),
]);

/** For commands the first words, for other tools an expression the path or address has to fit. */
const allowed = z.strictObject({
  tool: z.string(),
  pattern: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  command: z.array(z.string()).min(1).optional(),
});

export const settingSchemas = {
  model: z.string().min(1),
  effort: z.enum(EFFORTS),
  modelRoles: z.record(z.string(), z.string()),
  modelProviderOrder: z.array(z.string()),
  enabledModels: z.array(scoped),
  disabledProviders: z.array(scoped),
  "modelProfile.default": z.string().min(1),
  cacheRetention,
  apiUrl: z.url({ protocol: /^https?$/ }),
  "discovery.local": z.boolean(),
  "retry.beforeFirstByte": count,
  "retry.afterFirstByte": count,
  "retry.baseDelayMs": z.number().min(1).max(60_000),
  "retry.factor": z.number().min(1).max(10),
  "timeouts.connectSeconds": seconds,
  "timeouts.idleSeconds": seconds,
  "timeouts.wholeSeconds": seconds,
  "compaction.enabled": z.boolean(),
  "compaction.triggerPercent": z.number().min(10).max(95),
  "compaction.targetPercent": z.number().min(5).max(90),
  "compaction.keepMessages": z.number().int().min(1).max(200),
  "compaction.reserveTokens": z.number().int().min(0).max(1_000_000),
  "compaction.promote": z.boolean(),
  "compaction.atPriceTier": z.boolean(),
  "compaction.server": z.enum(["auto", "off"]),
  theme: z.enum(["auto", "dark", "light", "high-contrast", "ascii"]),
  screenReader: z.boolean(),
  "notify.command": z.array(z.string().min(1)).min(1),
  "secrets.enabled": z.boolean(),
  "ttsr.enabled": z.boolean(),
  "ttsr.contextMode": z.enum(["discard", "keep"]),
  "ttsr.interruptMode": z.enum(["always", "never", "prose-only", "tool-only"]),
  "ttsr.repeatMode": z.enum(["once", "after-gap"]),
  "ttsr.repeatGap": z.number().int().min(1).max(10_000),
  "shell.environment": z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/)).max(200),
  sandbox: z.enum(["auto", "off"]),
  "permissions.allow": z.array(permissionRule),
  "permissions.ask": z.array(permissionRule),
  "permissions.deny": z.array(permissionRule),
  "permissions.claude": z.boolean(),
  "approval_gates.enabled": z.boolean(),
  "approval_gates.categories": z.partialRecord(askCategory, z.enum(["allow", "gate", "deny", "tiered"])),
  "approval_gates.allowlist": z.array(allowed),
} satisfies Record<string, z.ZodType>;

export type SettingKey = keyof typeof settingSchemas;
/** A key without a default is undefined until something sets it. */
export type SettingValues = { [Key in SettingKey]: z.infer<(typeof settingSchemas)[Key]> | undefined };
