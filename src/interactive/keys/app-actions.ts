import { ACTIONS, type ActionId, placeOf } from "./actions.ts";
import type { KeyMap } from "./key-map.ts";

/** What the app does itself; the rest is for the input or a list. */
export type AppAction = Exclude<Extract<ActionId, `app.${string}`>, `app.tree.${string}`>;

const APP_ACTIONS = ACTIONS.flatMap(({ id }) => (isAppAction(id) ? [id] : []));

export function actionOfKey(chord: string, keys: KeyMap): AppAction | undefined {
  return APP_ACTIONS.find((action) => keys.means(chord, action));
}

function isAppAction(id: ActionId): id is AppAction {
  return id.startsWith("app.") && placeOf(id) === "prompt";
}

/** Changes only what is seen. */
export function isLooking(action: AppAction | undefined): boolean {
  return action === "app.tools.expand" || action === "app.thinking.toggle";
}

/** Keys that mean a command. */
export const SLASH_OF = {
  "app.model.select": "model",
  "app.model.selectTemporary": "temporary-model",
  "app.model.cycleForward": "next-model",
  "app.model.cycleBackward": "previous-model",
  "app.plan.toggle": "plan",
  "app.thinking.cycle": "next-effort",
  "app.history.search": "history",
} as const;
