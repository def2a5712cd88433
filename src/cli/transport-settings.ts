import type { StreamModelOptions } from "../llm/stream.ts";
import { proxyFor } from "./proxy.ts";
import { hasFlag, type RunContext } from "./run-context.ts";

/** How requests are sent, from the settings: retries, timeouts, proxy, and whether what is sent is shown. */
export function transportSettings(context: RunContext, baseUrl: string): Partial<StreamModelOptions> {
  const { values } = context.settings;
  const proxy = proxyFor(baseUrl, context.environment);
  return {
    retries: defined({
      beforeFirstByte: values["retry.beforeFirstByte"],
      afterFirstByte: values["retry.afterFirstByte"],
      baseDelayMs: values["retry.baseDelayMs"],
      factor: values["retry.factor"],
    }),
    timeouts: defined({
      connectMs: milliseconds(values["timeouts.connectSeconds"]),
      idleMs: milliseconds(values["timeouts.idleSeconds"]),
      wholeMs: milliseconds(values["timeouts.wholeSeconds"]),
    }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(hasFlag(context, "debug") ? { trace: context.trace ?? context.note } : {}),
  };
}

function defined(entries: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
