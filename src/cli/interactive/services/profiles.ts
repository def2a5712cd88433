import type { Outcome, ProfileRow } from "../../../interactive/services.ts";
import type { ProfileInput } from "../../../models/profile-activation.ts";
import type { LiveAgents } from "../../agents/live-agents.ts";
import { modelInput } from "../../model-choice.ts";
import type { RunContext } from "../../run-context.ts";

/** Every model profile with the models of its roles; those that can be used stand first. */
export async function listProfiles(context: RunContext): Promise<ProfileRow[]> {
  const { allProfiles, previewProfile } = await import("../../../models/profile-activation.ts");
  const input = await profileInput(context);
  const rows = Object.keys(allProfiles(input)).flatMap((name): ProfileRow[] => {
    const preview = previewProfile({ ...input, name });
    if (!preview.ok) return [];
    const roles = Object.entries(preview.roles).map(([role, selector]) => ({ role, selector }));
    const [problem] = preview.blockers;
    const provider = roles[0]?.selector.split("/", 1)[0] ?? "";
    return [{ name, provider, roles, ...(problem !== undefined && { problem: problem.message }) }];
  });
  const isMissing = ({ problem }: ProfileRow) => Number(problem !== undefined);
  return rows.toSorted((one, other) => isMissing(one) - isMissing(other));
}

async function profileInput(context: RunContext): Promise<Omit<ProfileInput, "name">> {
  const { loadModelSources, knownRegistry } = await import("../../../models/model-sources.ts");
  const { credentialPresence } = await import("../../../models/credentials.ts");
  const { builtInProfiles } = await import("../../../models/profiles.ts");
  const { sources } = await loadModelSources(modelInput(context));
  const user = sources.file?.profiles;
  return {
    builtIn: builtInProfiles(),
    ...(user !== undefined && { user }),
    registry: await knownRegistry(sources),
    credentialsOf: (provider) => credentialPresence({ provider }, sources.credentials),
  };
}

/** The model of its role `default` answers from now on, and the other roles count for this run. */
export async function applyProfile(
  context: RunContext,
  agents: LiveAgents,
  { name, isForGood }: { name: string; isForGood: boolean },
): Promise<Outcome> {
  const { activateProfile } = await import("../../../models/profile-activation.ts");
  const activated = activateProfile({ ...(await profileInput(context)), name });
  if (!activated.ok) return { ok: false, message: activated.problem.message };
  const flags = new Map(context.arguments.flags).set("mpreset", name);
  context.arguments = { ...context.arguments, flags };
  const model = activated.roles.default;
  const changed = model === undefined ? undefined : await agents.current()?.face.call("set_model", { model });
  if (changed?.ok === false) return { ok: false, message: changed.error.message };
  return isForGood
    ? kept(context, ["modelProfile", "default"], name)
    : { ok: true, text: `The profile \`${name}\` counts for this session.` };
}

/** New sessions begin with it. */
export function setDefaultModel(context: RunContext, selector: string): Promise<Outcome> {
  return kept(context, ["modelRoles", "default"], selector);
}

async function kept({ paths }: RunContext, keys: string[], value: string): Promise<Outcome> {
  const { writeYamlValue } = await import("../../settings/write-setting.ts");
  const path = `${paths.config}/config.yml`;
  const problem = await writeYamlValue({ path, keys, value });
  return problem === undefined
    ? { ok: true, text: `\`${value}\` is used from now on (\`${path}\`).` }
    : { ok: false, message: problem };
}
