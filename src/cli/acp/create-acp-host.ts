import { protectedFileTest } from "../../coder/protected-files.ts";
import type { AcpHost, AcpSessionRow } from "../../rpc/acp/acp-host.ts";
import { readTextFile } from "../../system/text-file.ts";
import { wholeAsk } from "../print/ask-text.ts";
import type { RunContext } from "../run-context.ts";
import { openAcpAgent } from "./open-acp-agent.ts";

/** Larger files are changed without being shown. */
const SHOWN_BYTES = 512 * 1024;

/** What an editor is served with, as the command line, the environment and the settings of each folder want it. */
export function createAcpHost(context: RunContext, version: string): AcpHost {
  const isProtected = protectedFileTest(context.paths);
  return {
    version,
    open: (wish) => openAcpAgent(context, version, wish),
    listSessions: (cwd) => listed(context, cwd),
    askText: wholeAsk,
    readText(path) {
      if (isProtected(path)) return undefined;
      const read = readTextFile(path, { maxBytes: SHOWN_BYTES });
      return read.ok ? read.text : undefined;
    },
  };
}

async function listed({ paths: places }: RunContext, cwd: string | undefined): Promise<AcpSessionRow[]> {
  const { listSessions } = await import("../../sessions/session-list.ts");
  const sessions = await listSessions({ places, ...(cwd === undefined ? {} : { cwd }) });
  return sessions.map(({ id, cwd: folder, name, preview, updatedAt }) => ({
    id,
    cwd: folder,
    title: name ?? preview,
    updatedAt,
  }));
}
