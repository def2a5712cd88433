import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Outcome } from "../../rpc/agent-port.ts";
import { policyPlaces } from "../permissions/configured-policy.ts";
import type { RunContext } from "../run-context.ts";
import type { LiveAgent } from "./open-agent.ts";

/** Writes the session as a page, where a program wants it or under a name of Ralph's. */
export async function exportPage(
  context: RunContext,
  { session }: LiveAgent,
  outputPath: string | undefined,
): Promise<Outcome<{ path: string }>> {
  const { paths, cwd, clock } = context;
  if (session.path === undefined)
    return { ok: false, message: "This run keeps nothing, so there is nothing to export." };
  if (session.leafId === null) return { ok: false, message: "Nothing was said in this session yet." };
  const refusal = outputPath === undefined ? undefined : await refusalOf(context, outputPath);
  if (refusal !== undefined) return { ok: false, message: refusal };
  const { exportSessionHtml } = await import("../../sessions/export/export-session-html.ts");
  const { exportName } = await import("../../sessions/export/write-export.ts");
  const written = await exportSessionHtml({
    session: session.path,
    blobs: paths.blobs,
    target: resolve(cwd, outputPath ?? exportName(session.header.id, "html", clock.now())),
    leafId: session.storedLeafId ?? undefined,
    mayReplace: outputPath !== undefined,
  });
  return written.ok ? { ok: true, path: written.path } : written;
}

const PAGES = [".html", ".htm"];

/** A page takes the place of a page and of nothing else, and never goes where nothing of Ralph may write. */
async function refusalOf(context: RunContext, outputPath: string): Promise<string | undefined> {
  const { createPathClassifier } = await import("../../permissions/paths/classify-path.ts");
  const { workspace, home, own, now } = policyPlaces(context);
  const path = resolve(context.cwd, outputPath);
  const verdict = createPathClassifier({ home, own, now })({ workspace, op: "write", path });
  if (verdict.class === "protected") return `${path} is protected: ${verdict.reason}. Name another file.`;
  const isPage = PAGES.includes(extname(path).toLowerCase());
  return isPage || !existsSync(path) ? undefined : `${path} is there already and is no page. Name another file.`;
}
