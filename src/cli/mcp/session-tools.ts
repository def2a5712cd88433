import * as z from "zod";
import { type ServedTool, serveTool } from "../../mcp/server/served-tools.ts";
import { currentBranch } from "../../sessions/tree.ts";
import { readable } from "../sessions/conversation.ts";
import readText from "./descriptions/read-session.md" with { type: "text" };
import searchText from "./descriptions/search-sessions.md" with { type: "text" };
import { READS } from "./loop-tools.ts";
import type { Found, McpWorld } from "./served-loops.ts";

/** Sessions of the served folders. What is sealed in them stays so. */
export function sessionTools(world: McpWorld): ServedTool[] {
  return [searchTool(world), readTool(world)];
}

const MOST_FOUND = 50;

const sessionView = z.strictObject({
  id: z.string(),
  folder: z.string(),
  title: z.string(),
  messages: z.number(),
  updated_at: z.string(),
  excerpt: z.string(),
});

async function servedSessions({ context: { paths: places }, roots }: McpWorld) {
  const { listSessions } = await import("../../sessions/session-list.ts");
  return (await listSessions({ places })).filter(({ cwd }) => roots.holds(cwd));
}

function searchTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_search_sessions",
    title: "Search sessions",
    description: searchText.trim(),
    hints: READS,
    input: z.strictObject({
      words: z.string().trim().min(1).max(1000).describe("Separated by blanks"),
      limit: z.int().min(1).max(MOST_FOUND).optional().describe("Sessions (10)"),
    }),
    output: z.strictObject({ sessions: z.array(sessionView) }),
    async run({ words, limit = 10 }, { signal }) {
      const { searchSessions } = await import("../../sessions/search-sessions.ts");
      const sessions = await servedSessions(world);
      const options = { places: world.context.paths, sessions, limit, signal };
      const found = await searchSessions(words.split(/\s+/), options);
      const value = found.map(({ session, excerpt }) => ({
        id: session.id,
        folder: session.cwd,
        title: session.name ?? session.preview,
        messages: session.messageCount,
        updated_at: new Date(session.updatedAt).toISOString(),
        excerpt,
      }));
      return { ok: true, value: { sessions: value } };
    },
  });
}

const MOST_CHARACTERS = 100_000;

function readTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_read_session",
    title: "Read a session",
    description: readText.trim(),
    hints: READS,
    input: z.strictObject({
      id: z.string().regex(/^[a-z0-9]{1,64}$/, "small letters and digits, or their beginning"),
      offset: z.int().min(0).optional().describe("In characters (0)"),
      characters: z.int().min(1).max(MOST_CHARACTERS).optional().describe("How many (20000)"),
    }),
    output: z.strictObject({
      id: z.string(),
      folder: z.string(),
      text: z.string(),
      total_characters: z.number(),
      next_offset: z.number().optional(),
    }),
    async run({ id, offset = 0, characters = 20_000 }) {
      const session = await servedSession(world, id);
      if (!session.ok) return session;
      const { readSession } = await import("../../sessions/read-session.ts");
      const read = await readSession(session.value.path, world.context.paths.blobs);
      if (!read.ok) return read;
      const whole = currentBranch(read.entries).map(readable).join("").trimStart();
      const next = offset + characters;
      return {
        ok: true,
        value: {
          id: session.value.id,
          folder: session.value.cwd,
          text: whole.slice(offset, next),
          total_characters: whole.length,
          ...(next < whole.length ? { next_offset: next } : {}),
        },
      };
    },
  });
}

async function servedSession(world: McpWorld, id: string): Promise<Found<{ id: string; path: string; cwd: string }>> {
  const found = (await servedSessions(world)).filter((session) => session.id.startsWith(id));
  const [only] = found;
  if (only !== undefined && found.length === 1) return { ok: true, value: only };
  const message =
    found.length === 0
      ? `No session of the served folders begins with ${id}.`
      : `${found.length} sessions begin with ${id}. Give more of it.`;
  return { ok: false, message };
}
