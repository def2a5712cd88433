import { ACTIONS, type ActionId } from "./actions.ts";

/** Names of earlier files, which had no part in front: renamed ones here, the others by their last part. */
const RENAMED: Readonly<Record<string, ActionId>> = {
  submit: "app.message.send",
  followUp: "app.message.followUp",
  dequeue: "app.message.dequeue",
  selectModel: "app.model.select",
  selectModelTemporary: "app.model.selectTemporary",
  cycleModelForward: "app.model.cycleForward",
  cycleModelBackward: "app.model.cycleBackward",
  cycleThinkingLevel: "app.thinking.cycle",
  toggleThinking: "app.thinking.toggle",
  expandTools: "app.tools.expand",
  togglePlanMode: "app.plan.toggle",
  historySearch: "app.history.search",
  externalEditor: "app.editor.external",
  pasteImage: "app.clipboard.pasteImage",
  copyLine: "app.clipboard.copyLine",
  copyPrompt: "app.clipboard.copyPrompt",
  selectUp: "tui.select.up",
  selectDown: "tui.select.down",
  selectPageUp: "tui.select.pageUp",
  selectPageDown: "tui.select.pageDown",
  selectConfirm: "tui.select.confirm",
  selectCancel: "tui.select.cancel",
};

/** What an old name is called now; undefined for one that never was, or that could be several. */
export function nameNow(old: string): ActionId | undefined {
  const renamed = Object.hasOwn(RENAMED, old) ? RENAMED[old] : undefined;
  if (renamed !== undefined || old.includes(".")) return renamed;
  const same = ACTIONS.filter(({ id }) => id.split(".").at(-1) === old);
  return same.length === 1 ? same[0]?.id : undefined;
}
