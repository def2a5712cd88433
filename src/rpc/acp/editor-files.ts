import { type AgentContext, type ClientCapabilities, methods, RequestError } from "@agentclientprotocol/sdk";
import type { EditorFiles } from "../../protocol/editor-files.ts";

/** A person may be asked by the editor whether to save; nobody thinks longer than this about a file. */
const EDITOR_SECONDS = 30;

export interface EditorFilesOptions {
  client: AgentContext;
  capabilities: ClientCapabilities["fs"];
  sessionId(): string;
}

/** The files of the editor, as far as it offers them. */
export function createEditorFiles({ client, capabilities, sessionId }: EditorFilesOptions): EditorFiles | undefined {
  const { readTextFile = false, writeTextFile = false } = capabilities ?? {};
  if (!readTextFile && !writeTextFile) return undefined;
  const options = () => ({ cancellationSignal: AbortSignal.timeout(EDITOR_SECONDS * 1000), stopWaitingOnCancel: true });
  return {
    ...(readTextFile && {
      read: async (path) => {
        const request = client.request(methods.client.fs.readTextFile, { sessionId: sessionId(), path }, options());
        return request.then(({ content }) => ({ type: "text", text: content }) as const, failed);
      },
    }),
    ...(writeTextFile && {
      write: async (path, content) => {
        const params = { sessionId: sessionId(), path, content };
        const request = client.request(methods.client.fs.writeTextFile, params, options());
        return request.then(() => ({ type: "written" }) as const, failed);
      },
    }),
  };
}

const CANCELLED = -32_800;

/** An editor that answers with an error has nothing to do with the file; one that does not answer may. */
function failed(error: unknown): { type: "not-held" } | { type: "failed"; message: string } {
  const isAnswer = error instanceof RequestError && error.code !== CANCELLED;
  if (isAnswer) return { type: "not-held" };
  const message =
    error instanceof RequestError
      ? `the editor did not answer within ${EDITOR_SECONDS} seconds`
      : "the editor has gone away";
  return { type: "failed", message };
}
