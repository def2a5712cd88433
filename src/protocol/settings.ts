import * as z from "zod";
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
} satisfies Record<string, z.ZodType>;

export type SettingKey = keyof typeof settingSchemas;
/** A key without a default is undefined until something sets it. */
export type SettingValues = { [Key in SettingKey]: z.infer<(typeof settingSchemas)[Key]> | undefined };
