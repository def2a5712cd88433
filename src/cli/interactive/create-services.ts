import type { InteractiveServices, LoginServices, OpenAgentResult, SessionWish } from "../../interactive/services.ts";
import { parseSessionFileName } from "../../sessions/session-name.ts";
import type { LiveAgents } from "../agents/live-agents.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import type { Written } from "./services/written.ts";

export interface ServicesOptions {
  context: RunContext;
  version: string;
  agents: LiveAgents;
  written: Written;
  /** Resolves when it is known whether the files of the project count. */
  isTrustKnown: Promise<void>;
  /** Sends a sequence to the terminal between two frames. */
  write(sequence: string): void;
}

/** Everything the conversation asks of Ralph besides its agent. Each part is loaded when it is first wanted. */
export function createServices(options: ServicesOptions): InteractiveServices {
  const { context, version, agents, written, write } = options;
  const { loadHistory, loadDraft, storePrompt, storeDraft } = written;
  const current = () => agents.current()?.session.header.id ?? "";
  return {
    openAgent: (wish) => openOther({ context, agents }, wish),
    listSessions: async () => (await import("./services/sessions.ts")).listSessions(context, current()),
    searchSessions: async (words) => (await import("./services/sessions.ts")).searchSessions(context, words, current()),
    sessionTree: async (path) => (await import("./services/sessions.ts")).sessionTree(context, path),
    exportSession: async (path, kind) => (await import("./services/sessions.ts")).exportSession(context, path, kind),
    listModels: async () => (await import("./services/models.ts")).listModels(context),
    listProfiles: async () => (await import("./services/profiles.ts")).listProfiles(context),
    applyProfile: async (name, isForGood) =>
      (await import("./services/profiles.ts")).applyProfile(context, agents, { name, isForGood }),
    setDefaultModel: async (selector) => (await import("./services/profiles.ts")).setDefaultModel(context, selector),
    login: lateLogin(context),
    listFiles: async () => (await import("./services/files.ts")).listFiles(context),
    gitBranch: async () => (await import("./services/git-branch.ts")).gitBranch(context.cwd),
    editText: async (text) => (await import("./services/editor.ts")).editText(context, text),
    copyText: async (text) => (await import("./services/clipboard.ts")).copyText(context, text, write),
    pastePicture: async () => (await import("./services/clipboard.ts")).pastePicture(context),
    async undo(_path, turn, apply) {
      const done = await agents.current()?.withSession(async (session) => {
        const { undoTurn } = await import("./services/undo.ts");
        return undoTurn(context, session, { turn, apply });
      });
      return done ?? { ok: false, message: "Ralph still works. Stop it with Esc, then undo." };
    },
    loadHistory: async () => loadHistory(),
    storePrompt,
    loadDraft: async () => loadDraft(),
    storeDraft,
    async customCommands() {
      await options.isTrustKnown;
      return (await import("./services/custom-commands.ts")).customCommands(context);
    },
    permissionsText: async () => (await import("./services/texts.ts")).permissionsText(context),
    settingsText: async () => (await import("./services/texts.ts")).settingsText(context),
    doctorText: async () => (await import("./services/texts.ts")).doctorText(context, version),
    notify: (text) => void import("./services/notify.ts").then(({ notify }) => notify(context, text, write)),
  };
}

/** Loaded when somebody logs in. */
function lateLogin(context: RunContext): LoginServices {
  const services = async () => (await import("./services/login.ts")).loginServices(context);
  return {
    list: async () => (await services()).list(),
    storeKey: async (id, key) => (await services()).storeKey(id, key),
    begin: async (id) => (await services()).begin(id),
    logout: async (id) => (await services()).logout(id),
    apis: async () => (await services()).apis(),
    providerProblem: async (provider) => (await services()).providerProblem(provider),
    addProvider: async (provider) => (await services()).addProvider(provider),
  };
}

interface Opening {
  context: RunContext;
  agents: LiveAgents;
}

async function openOther({ context, agents }: Opening, wish: SessionWish): Promise<OpenAgentResult> {
  const id = wish.type === "resume" ? wish.id : wish.type === "path" ? parseSessionFileName(wish.path)?.id : undefined;
  if (wish.type !== "new" && hasFlag(context, "no-session"))
    return { ok: false, message: "this run keeps nothing (--no-session), so there is nothing to go on with" };
  if (wish.type !== "new" && id === undefined) return { ok: false, message: "there is no such session" };
  return agents.open(id);
}
