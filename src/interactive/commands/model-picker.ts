import { type Line, line, span } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";
import { wrapLine } from "../../tui/style/wrap.ts";
import { sanitiseLine } from "../../tui/text/sanitise.ts";
import { type ChoiceRow, chooseDialog } from "../dialogs/choose.ts";
import type { InteractiveServices, ModelRow, Outcome, ProfileRow } from "../services.ts";
import type { CommandHost } from "./command-host.ts";

/** What can be chosen: one model, or a profile that gives every role its own. */
export type ModelWish = { type: "model"; row: ModelRow } | { type: "profile"; row: ProfileRow };

export interface ModelPickerOptions {
  title: string;
  onModel(selector: string): Promise<void>;
}

/** Profiles and models by provider, those that can be used marked; what a profile gives to each role stands below. */
export async function openModelPicker(host: CommandHost, { title, onModel }: ModelPickerOptions): Promise<void> {
  const { services } = host;
  const [models, profiles] = await Promise.all([services.listModels(), services.listProfiles?.() ?? []]);
  const current = host.state().model;
  const items = pickerRows(models, profiles, current);
  const take = (wish: ModelWish, isForGood: boolean) => {
    host.closeDialog();
    void apply(host, wish, { isForGood, onModel });
  };
  const canKeep = services.setDefaultModel !== undefined;
  host.open(
    chooseDialog({
      title,
      emptyText: "no model fits",
      selected: Math.max(
        0,
        items.findIndex((row) => isCurrent(row, current)),
      ),
      items,
      preview: wishRows,
      onChoose: (wish) => take(wish, false),
      ...(canKeep && { other: { action: "choose for good", onChoose: (wish: ModelWish) => take(wish, true) } }),
      onCancel: () => host.closeDialog(),
    }),
  );
}

export function pickerRows(
  models: readonly ModelRow[],
  profiles: readonly ProfileRow[],
  current: string,
): ChoiceRow<ModelWish>[] {
  const providers = [...new Set([...models, ...profiles].map(({ provider }) => provider))];
  return providers.flatMap((provider): ChoiceRow<ModelWish>[] => {
    const ownModels = models.filter((row) => row.provider === provider);
    const ownProfiles = profiles.filter((row) => row.provider === provider);
    const isUsable = [...ownModels, ...ownProfiles].some(({ problem }) => problem === undefined);
    return [
      { heading: `${provider} (${isUsable ? "ready" : "no key"})` },
      ...ownProfiles.map(
        (row): ChoiceRow<ModelWish> => ({
          value: { type: "profile", row },
          label: `profile ${row.name}`,
          description: row.problem ?? row.roles.map(({ role }) => role).join(", "),
          isDisabled: row.problem !== undefined,
          words: `${provider} ${row.roles.map(({ selector }) => selector).join(" ")}`,
        }),
      ),
      ...ownModels.map(
        (row): ChoiceRow<ModelWish> => ({
          value: { type: "model", row },
          label: `${row.selector}${row.selector === current ? " (now)" : ""}`,
          description: row.problem ?? row.description,
          isDisabled: row.problem !== undefined,
          words: row.description,
        }),
      ),
    ];
  });
}

function isCurrent(row: ChoiceRow<ModelWish>, current: string): boolean {
  return "value" in row && row.value.type === "model" && row.value.row.selector === current;
}

function wishRows(wish: ModelWish, width: number, { styles }: Theme): readonly Line[] {
  const texts =
    wish.type === "model"
      ? [wish.row.description]
      : wish.row.roles.map(({ role, selector }) => `${role.padEnd(10)} ${selector}`);
  return texts.flatMap((text) => wrapLine(line(span(`  ${sanitiseLine(text)}`, styles.muted)), width));
}

interface Applying {
  isForGood: boolean;
  onModel: ModelPickerOptions["onModel"];
}

async function apply(host: CommandHost, wish: ModelWish, { isForGood, onModel }: Applying): Promise<void> {
  if (wish.type === "model") await onModel(wish.row.selector);
  const kept = await keep(host.services, wish, isForGood);
  if (kept !== undefined) host.say(kept.ok ? kept.text : `**Not done:** ${kept.message}`);
}

async function keep(services: InteractiveServices, wish: ModelWish, isForGood: boolean): Promise<Outcome | undefined> {
  if (wish.type === "profile") return services.applyProfile?.(wish.row.name, isForGood);
  return isForGood ? services.setDefaultModel?.(wish.row.selector) : undefined;
}
