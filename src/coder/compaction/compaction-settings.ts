import { SETTING_ROWS } from "../../protocol/setting-rows.ts";
import type { SettingValues } from "../../protocol/settings.ts";
import type { CompactionSettings } from "../../sessions/compaction/compaction-trigger.ts";

export interface CompactionChoices {
  enabled: boolean;
  promote: boolean;
  settings: CompactionSettings;
}

/** What `config.yml` says about compaction. */
export function compactionChoices(values: SettingValues): CompactionChoices {
  return {
    enabled: values["compaction.enabled"] ?? true,
    promote: values["compaction.promote"] ?? false,
    settings: {
      triggerPercent: values["compaction.triggerPercent"] ?? usual("compaction.triggerPercent"),
      targetPercent: values["compaction.targetPercent"] ?? usual("compaction.targetPercent"),
      keepMessages: values["compaction.keepMessages"] ?? usual("compaction.keepMessages"),
      reserveTokens: values["compaction.reserveTokens"] ?? usual("compaction.reserveTokens"),
      atPriceTier: values["compaction.atPriceTier"] ?? false,
      server: values["compaction.server"] ?? "auto",
    },
  };
}

type NumberKey = `compaction.${"triggerPercent" | "targetPercent" | "keepMessages" | "reserveTokens"}`;

function usual(key: NumberKey): number {
  return SETTING_ROWS[key].default ?? 0;
}
