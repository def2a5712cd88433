import { billOf } from "../models/prices.ts";
import type { ModelEnd } from "../protocol/model-events.ts";
import type { StreamModel } from "../protocol/model-request.ts";
import type { Model } from "../protocol/models.ts";
import type { Agent } from "./agent.ts";
import type { CoderWarden } from "./coder-host.ts";

/** The model of the moment, for every request of an agent: the warden is asked before it and told what it used. */
export function askModel(agent: Agent): StreamModel {
  return async (request, streaming) => {
    const { chosen, options } = agent;
    const warden = options.host?.warden();
    const refusal = await warden?.beforeModel(chosen.model);
    if (refusal !== undefined) {
      const error = { kind: "invalid-request" as const, message: refusal, retryable: false };
      streaming.emit({ type: "error", error });
      return { type: "error", error };
    }
    options.toolbox.sent();
    const end = await chosen.streamModel(request, streaming);
    if (warden !== undefined) tellSpent(warden, end, chosen.model);
    return end;
  };
}

function tellSpent(warden: CoderWarden, end: ModelEnd, model: Model): void {
  const message = end.type === "done" ? end.message : end.partial;
  if (message === undefined) return;
  const dollars = billOf(message.usage, model.cost)?.dollars;
  warden.afterModel({ usage: message.usage, ...(dollars === undefined ? {} : { dollars }) });
}
