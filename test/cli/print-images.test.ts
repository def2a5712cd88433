import { describe, expect, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../src/protocol/json.ts";
import { preparePicture } from "../../src/tools/prepare-picture.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { animatedGif, plain } from "../support/pictures.ts";

const PNG = plain(6, 4);
const JPEG = await new Bun.Image(PNG).jpeg().bytes();
const WEBP = await new Bun.Image(PNG).webp().bytes();
const PDF = Buffer.from("%PDF-1.7 rest");
const KINDS: [name: string, mediaType: string, bytes: Uint8Array][] = [
  ["a.png", "image/png", PNG],
  ["b.jpg", "image/jpeg", JPEG],
  ["d.gif", "image/png", animatedGif()],
  ["e.webp", "image/webp", WEBP],
  ["f.pdf", "application/pdf", PDF],
];

function place(ralph: FrontDoor, name: string, bytes: Uint8Array): string {
  const path = join(ralph.workspace.project, name);
  writeFileSync(path, bytes);
  return path;
}

/** The parts of the question, without what Ralph adds behind them. */
function partsOf(ralph: FrontDoor): unknown[] {
  const [message] = at(ralph.provider.requests.at(-1)?.body, "messages") as { content: { type: string }[] }[];
  return (message?.content ?? []).filter((part) => part.type === "image" || part.type === "document");
}

/** What is sent of a file: pictures are prepared, PDFs go as they are. */
async function sent(mediaType: string, bytes: Uint8Array): Promise<unknown> {
  const isPdf = mediaType === "application/pdf";
  const prepared = isPdf ? undefined : await preparePicture(bytes);
  const data = prepared?.ok ? prepared.data : Buffer.from(bytes).toString("base64");
  return { type: isPdf ? "document" : "image", source: { type: "base64", media_type: mediaType, data } };
}

describe("pictures named with @", () => {
  test("are sent with the type their content has, in the order they are named", async () => {
    using ralph = await openFrontDoor();
    for (const [name, , bytes] of KINDS) place(ralph, name, bytes);
    const { code } = await ralph.run(["-p", `compare ${KINDS.map(([name]) => `@${name}`).join(" ")}`]);
    expect(code).toBe(0);
    const expected = await Promise.all(KINDS.map(([, mediaType, bytes]) => sent(mediaType, bytes)));
    expect(stripCache(partsOf(ralph))).toEqual(expected);
  });

  test("are scaled down where they are larger than a provider looks at", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "wide.png", plain(4000, 20));
    await ralph.run(["-p", "@wide.png"]);
    const data = Buffer.from(String(at(partsOf(ralph)[0], "source", "data")), "base64");
    expect(await new Bun.Image(data).metadata()).toEqual({ width: 2000, height: 10, format: "png" });
  });

  test("are judged by what they are, not by their name", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "really-a-png.jpg", PNG);
    await ralph.run(["-p", "@really-a-png.jpg"]);
    expect(stripCache(partsOf(ralph))).toEqual([await sent("image/png", PNG)]);
  });

  test("may have spaces in quotes, an absolute path, and a sentence's end behind them", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "my screen.png", PNG);
    const absolute = place(ralph, "other.png", PNG);
    await ralph.run(["-p", `see @"my screen.png", and @${absolute}.`]);
    expect(stripCache(partsOf(ralph))).toEqual([await sent("image/png", PNG), await sent("image/png", PNG)]);
  });

  test("are sent once however often they are named", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "a.png", PNG);
    await ralph.run(["-p", "@a.png @a.png"]);
    expect(partsOf(ralph)).toHaveLength(1);
  });

  test("are never looked for in what was piped in, and words with @ are words", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "a.png", PNG);
    await ralph.run(["-p", "mail me@a.png or ask @alice"], { stdin: "see @a.png" });
    expect(partsOf(ralph)).toEqual([]);
  });

  test("that cannot be attached end with exit code 2 and the reason, and nothing is sent", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "text.png", Buffer.from("not a picture"));
    place(ralph, "almost.webp", Buffer.from("no riff WEBP....", "latin1"));
    place(ralph, "empty.png", Buffer.alloc(0));
    place(ralph, "half.png", PNG.subarray(0, PNG.length / 2));
    truncateSync(place(ralph, "huge.png", PNG), 20_000_001);
    Bun.spawnSync(["mkfifo", join(ralph.workspace.project, "pipe.png")]);
    Bun.spawnSync(["mkdir", join(ralph.workspace.project, "folder.png")]);
    const reasons = {
      "none.png": "there is no such file",
      "text.png": "its content is not PNG, JPEG, GIF, WebP or PDF",
      "almost.webp": "its content is not PNG, JPEG, GIF, WebP or PDF",
      "empty.png": "its content is not PNG, JPEG, GIF, WebP or PDF",
      "half.png": "it is damaged or not complete",
      "huge.png": "it has 20000001 bytes, more than 20000000",
      "pipe.png": "it is not a regular file",
      "folder.png": "it is not a regular file",
    };
    const runs = await Promise.all(Object.keys(reasons).map((name) => ralph.run(["-p", `see @${name}`])));
    expect(runs.map(outcomeOf)).toEqual(
      Object.entries(reasons).map(([name, reason]) => ({
        code: 2,
        stdout: "",
        stderr: `ralph: @${name} cannot be attached: ${reason}.\n`,
      })),
    );
    expect(ralph.provider.requests).toEqual([]);
  });

  test("are refused for a model that takes none, with exit code 2", async () => {
    using ralph = await openFrontDoor();
    place(ralph, "a.png", PNG);
    ralph.writeModels(`providers:
  own: { baseUrl: "${ralph.provider.origin}/v1", api: openai-completions, auth: none, models: [{ id: blind }] }
`);
    expect(outcomeOf(await ralph.run(["-p", "--model", "own/blind", "@a.png"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: own/blind does not take image input. Use another --model: ralph models\n",
    });
    expect(ralph.provider.requests).toEqual([]);
  });
});

/** Where the cache mark stands is not what these tests are about. */
function stripCache(parts: unknown[]): unknown[] {
  return parts.map((part) => {
    const { cache_control: _, ...rest } = part as Record<string, unknown>;
    return rest;
  });
}
