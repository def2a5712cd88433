import type { AgentOptions } from "../../agent/run-turns.ts";
import type { Clock } from "../../system/clock.ts";
import { flagText, type RunContext } from "../run-context.ts";

/** What a run may use up. It is Ralph that stops it, never the model. */
export interface RunLimits {
  maxTurns: number;
  /** The others, where they are set. */
  shown: { tokens?: number; cost?: number; minutes?: number };
  reached(clock: Clock): AgentOptions["limitReached"];
}

const DEFAULT_TURNS = 200;

/** The limits the flags set, or what is wrong with them. */
export function readLimits(context: RunContext): RunLimits | string {
  const values: Record<string, number | undefined> = {};
  for (const name of ["max-turns", "max-tokens", "max-cost", "max-minutes"]) {
    const text = flagText(context, name);
    const value = text === undefined ? undefined : Number(text);
    if (value !== undefined && !(value > 0 && Number.isFinite(value)))
      return `--${name} needs a number above 0, not "${text}".`;
    if (name === "max-turns" && value !== undefined && !Number.isInteger(value))
      return `--${name} needs a whole number.`;
    values[name] = value;
  }
  const {
    "max-turns": maxTurns = DEFAULT_TURNS,
    "max-tokens": tokens,
    "max-cost": cost,
    "max-minutes": minutes,
  } = values;
  return {
    maxTurns,
    shown: {
      ...(tokens === undefined ? {} : { tokens }),
      ...(cost === undefined ? {} : { cost }),
      ...(minutes === undefined ? {} : { minutes }),
    },
    reached(clock) {
      const started = clock.monotonic();
      return ({ usage, cost: spent = 0 }) => {
        const used = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
        if (tokens !== undefined && used >= tokens) return { type: "limit-reached", limit: "tokens", allowed: tokens };
        if (cost !== undefined && spent >= cost) return { type: "limit-reached", limit: "cost", allowed: cost };
        const isLate = minutes !== undefined && clock.monotonic() - started >= minutes * 60_000;
        return isLate ? { type: "limit-reached", limit: "minutes", allowed: minutes } : undefined;
      };
    },
  };
}
