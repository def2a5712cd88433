import type { Arguments } from "../parse-arguments.ts";

/** Flags that set a setting of the same name for one run. */
const NAMES = ["model", "effort", "sandbox"] as const;

export function settingFlags({ flags }: Pick<Arguments, "flags">) {
  return NAMES.flatMap((key) => {
    const value = flags.get(key);
    return typeof value === "string" ? [{ key, flag: `--${key}`, value }] : [];
  });
}
