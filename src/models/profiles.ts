import * as z from "zod";
import profiles from "./profiles.json" with { type: "text" };

/** The parts an agent can play. A profile may give each of them a model of its own. */
export const MODEL_ROLES = ["default", "executor", "architect", "planner", "critic"] as const;

/** `provider/modelId[:effort]`, exactly one. Ids may hold further slashes and colons. */
const selector = z
  .string()
  .regex(
    /^[^\s,/]+\/[^\s,]+$/,
    "Write one model as provider/model or provider/model:effort; lists are not supported here.",
  );

/** A set of models that is switched on by name. Roles it does not name keep their model. */
export const profileSchema = z.strictObject({
  /** Providers that must have credentials before the profile can be used. */
  required_providers: z.array(z.string().min(1)).default([]),
  model_mapping: z
    .partialRecord(z.enum(MODEL_ROLES), selector)
    .refine((mapping) => Object.keys(mapping).length > 0, "Map at least one role to a model."),
});

export type ModelRole = (typeof MODEL_ROLES)[number];
export type Profile = z.infer<typeof profileSchema>;

/**
 * The profiles that exist without configuration. A profile of the same name in models.yml wins. The cursor profiles name a
 * provider Ralph cannot talk to (`unsupportedProvider` says why); they work once somebody defines a provider of that name.
 */
export function builtInProfiles(): Record<string, Profile> {
  return JSON.parse(String(SOURCE)) as Record<string, Profile>;
}

/** The compiler sees the parsed form of a JSON import whatever `type` says; at run time it is text. */
const SOURCE: unknown = profiles;
