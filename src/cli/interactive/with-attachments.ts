import type { AgentFace } from "../../interactive/services.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { MethodAnswer, MethodName, MethodParams } from "../../protocol/methods.ts";
import type { AttachmentPlaces } from "../print/attachments.ts";

/** The agent, with the files a message names as @path read and sent along, as print mode does it. */
export function withAttachments(agent: AgentFace, places: AttachmentPlaces): AgentFace {
  return {
    subscribe: (listener) => agent.subscribe(listener),
    async call<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodAnswer<Name>> {
      const { message } = params as { message?: UserMessage };
      if (message === undefined || !textOf(message).includes("@")) return agent.call(name, params);
      const { readAttachments } = await import("../print/attachments.ts");
      const attached = await readAttachments(textOf(message), places);
      if (!attached.ok) return { ok: false, error: { code: "invalid", message: attached.message } };
      const content = [
        ...message.content,
        ...attached.texts.map((text) => ({ type: "text" as const, text })),
        ...attached.images,
      ];
      return agent.call(name, { ...params, message: { ...message, content } });
    },
  };
}

function textOf({ content }: UserMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
