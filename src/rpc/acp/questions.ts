import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOption,
} from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import { asObject } from "../../protocol/json.ts";

// Questions of the model, in the two forms an editor may have for them. Pure.

export type Question = Extract<AgentEvent, { type: "question-start" }>;

const FIELD = "answer";

/** For an editor that has forms. */
export function questionForm(
  { question, options, multi }: Question,
  sessionId: string,
): CreateElicitationRequest & { mode: "form"; requestedSchema: ElicitationSchema } {
  const property =
    options.length === 0
      ? { type: "string" as const, title: "Answer" }
      : multi
        ? { type: "array" as const, title: "Answer", items: { type: "string" as const, enum: options } }
        : { type: "string" as const, title: "Answer", enum: options };
  return {
    mode: "form",
    sessionId,
    message: question,
    requestedSchema: { type: "object", properties: { [FIELD]: property }, required: [FIELD] },
  };
}

/** Undefined where it was declined. */
export function formAnswers(response: CreateElicitationResponse): string[] | undefined {
  if (response.action !== "accept") return undefined;
  const value = asObject("content" in response ? response.content : undefined)?.[FIELD];
  const answers = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string" && one !== "");
  return answers.length === 0 ? undefined : (answers as string[]);
}

/** For an editor without forms: buttons, one of which is chosen. Undefined where the question needs more than that. */
export function questionButtons({ options }: Question): PermissionOption[] | undefined {
  if (options.length === 0) return undefined;
  const answers = options.map((name, index) => ({ optionId: `${BUTTON}${index}`, name, kind: "allow_once" as const }));
  return [...answers, { optionId: "declined", name: "No answer", kind: "reject_once" }];
}

const BUTTON = "option-";

export function buttonAnswer(optionId: string, { options }: Question): string[] | undefined {
  const chosen = optionId.startsWith(BUTTON) ? options[Number(optionId.slice(BUTTON.length))] : undefined;
  return chosen === undefined ? undefined : [chosen];
}
