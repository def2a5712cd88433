import { asNumber, asString } from "../../protocol/json.ts";
import { inOneLine } from "../printable.ts";

// What `ralph attach` says about a loop, from the fields of its status.

export type StatusFields = Readonly<Record<string, unknown>>;

const KEYS = "i take over  s stop  c checkpoint  q leave";
const SHORT_KEYS = "i s c q";

/** The line below the output, as much of it as the terminal has room for. */
export function statusLine(fields: StatusFields, wish: string, columns: number): string {
  const name = text(fields.task_name);
  const count = `${asNumber(fields.iteration) ?? 0}/${asNumber(fields.max_iterations) ?? 0}`;
  const story = text(fields.current_story);
  const state = wish === "" ? text(fields.status) : wish;
  const agent = text(fields.agent);
  const wordings = [
    [name, `iteration ${count}`, story, agent, state, KEYS],
    [name, `iteration ${count}`, story, agent, state, SHORT_KEYS],
    [name, count, story, state, SHORT_KEYS],
    [count, story, wish, SHORT_KEYS],
  ].map((pieces) => pieces.filter((piece) => piece !== "").join(" | "));
  return wordings.find((line) => Bun.stringWidth(line) < columns) ?? wordings.at(-1) ?? "";
}

/** The last line, and whether all is well. */
export function farewell(fields: StatusFields, reason: string | undefined): { text: string; isWell: boolean } {
  const name = text(fields.task_name);
  const status = text(fields.status);
  if (status !== "running") return { text: `The loop ${name} is ${status}.`, isWell: true };
  const why = reason === undefined ? "its process ended without a word" : inOneLine(reason);
  return { text: `The connection to ${name} was lost: ${why}. Look: ralph status ${name}`, isWell: false };
}

function text(value: unknown): string {
  return inOneLine(asString(value) ?? "");
}
