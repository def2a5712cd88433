import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { ToolOutput } from "../../src/protocol/tool-runs.ts";
import { MAXIMUM_SENT_BYTES, preparePicture } from "../../src/tools/prepare-picture.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { viewImageTool } from "../../src/tools/view-image.ts";
import { fileSession } from "../support/file-tools.ts";
import {
  animatedGif,
  cmykJpeg,
  noise,
  pixelOf,
  plain,
  png,
  pngChunk,
  quarters,
  withExif,
} from "../support/pictures.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const open = () => fileSession(directory());

interface Shown {
  text: string;
  mediaType: string;
  bytes: Buffer;
  size: { width: number; height: number };
}

async function shownBy({ content, isError }: ToolOutput): Promise<Shown> {
  const [words, picture] = content;
  if (isError || words?.type !== "text" || picture?.type !== "image") throw new Error(JSON.stringify(content));
  const bytes = Buffer.from(picture.data, "base64");
  const { width, height } = await new Bun.Image(bytes).metadata();
  return { text: words.text, mediaType: picture.mediaType, bytes, size: { width, height } };
}

async function view(content: Uint8Array, name = "a.png"): Promise<Shown> {
  const { call, write } = open();
  write(name, content);
  return shownBy(await call(viewImageTool, { path: name }));
}

async function refusal(content: Uint8Array, name = "a.png"): Promise<string> {
  const { say, write } = open();
  write(name, content);
  return say(viewImageTool, { path: name });
}

describe("view_image gives the model", () => {
  test("the picture and a line about it", async () => {
    const { call, write } = open();
    const picture = plain(20, 10);
    const path = write("shots/a.png", picture);
    const output = await call(viewImageTool, { file_path: "shots/a.png" });
    const { bytes, text } = await shownBy(output);
    expect(output).toEqual({
      content: [
        { type: "text", text },
        { type: "image", mediaType: "image/png", data: bytes.toString("base64") },
      ],
      details: { path, media_type: "image/png", bytes: picture.length, sent_bytes: bytes.length },
    });
    expect(text).toBe(`shots/a.png (PNG 20×10, ${picture.length} bytes; sent as PNG 20×10, ${bytes.length} bytes)`);
    expect(await pixelOf(bytes, 3, 3)).toEqual([200, 100, 50]);
  });

  test("a large one scaled down to 2000 pixels, and never a small one scaled up", async () => {
    expect((await view(plain(4000, 100))).size).toEqual({ width: 2000, height: 50 });
    expect((await view(plain(100, 2500))).size).toEqual({ width: 80, height: 2000 });
    expect((await view(plain(2000, 3))).size).toEqual({ width: 2000, height: 3 });
    expect((await view(plain(6000, 1))).size).toEqual({ width: 2000, height: 1 });
  });

  // Where the upper left, upper right, lower left and lower right corner come from, as EXIF numbers its orientations.
  const [R, G, B, W] = ["red", "green", "blue", "white"];
  test.each([
    [1, [R, G, B, W]],
    [2, [G, R, W, B]],
    [3, [W, B, G, R]],
    [4, [B, W, R, G]],
    [5, [R, B, G, W]],
    [6, [B, R, W, G]],
    [7, [W, G, B, R]],
    [8, [G, W, R, B]],
  ])("a photograph of orientation %d upright, without where it was taken", async (orientation, corners) => {
    const jpeg = await new Bun.Image(quarters(64, 32)).jpeg({ quality: 100 }).bytes();
    const { bytes, size, mediaType } = await view(withExif(jpeg, orientation), "a.jpg");
    const isTurned = orientation > 4;
    expect([mediaType, size]).toEqual(["image/jpeg", isTurned ? { width: 32, height: 64 } : { width: 64, height: 32 }]);
    const [right, bottom] = [size.width - 4, size.height - 4];
    const seen = [
      pixelOf(bytes, 3, 3),
      pixelOf(bytes, right, 3),
      pixelOf(bytes, 3, bottom),
      pixelOf(bytes, right, bottom),
    ];
    expect((await Promise.all(seen)).map(colourOf)).toEqual(corners);
    expect(bytes.includes("GPS") || bytes.includes("Exif")).toBe(false);
  });

  test("nothing of the comments and camera data in a PNG", async () => {
    const chunks = [
      pngChunk("tEXt", Buffer.from("Comment\0my address")),
      pngChunk("eXIf", Buffer.from("MM\0*my address")),
    ];
    const { bytes } = await view(png(4, 4, { chunks, pixel: () => [1, 2, 3] }));
    expect(bytes.includes("my address")).toBe(false);
  });

  test("the first frame of a moving GIF as PNG, and says so", async () => {
    const { mediaType, text, bytes } = await view(animatedGif(), "a.gif");
    expect([mediaType, await pixelOf(bytes, 0, 0)]).toEqual(["image/png", [255, 0, 0]]);
    expect(text).toEndWith(", only the first frame)");
    expect((await view(animatedGif(1), "a.gif")).text).not.toContain("frame");
  });

  test("16-bit PNG, CMYK JPEG and WebP in forms every provider takes", async () => {
    const deep = await view(png(8, 8, { depth: 16, pixel: () => [10, 20, 30] }));
    expect([deep.mediaType, deep.bytes[24], await pixelOf(deep.bytes, 1, 1)]).toEqual(["image/png", 8, [10, 20, 30]]);
    const print = await view(cmykJpeg(), "a.jpg");
    expect([print.mediaType, print.size]).toEqual(["image/jpeg", { width: 8, height: 8 }]);
    expect(channelsOf(print.bytes)).toBe(3);
    const web = await view(await new Bun.Image(plain(9, 7)).webp().bytes(), "a.webp");
    expect([web.mediaType, web.size]).toEqual(["image/webp", { width: 9, height: 7 }]);
  });

  test("what the content is, whatever the name says", async () => {
    const jpeg = await new Bun.Image(plain(9, 7)).jpeg().bytes();
    const { mediaType, text } = await view(jpeg, "really-a-jpeg.png");
    expect(mediaType).toBe("image/jpeg");
    expect(text).toStartWith("really-a-jpeg.png (JPEG 9×7, ");
  });

  test("a format providers do not take as PNG", async () => {
    const { mediaType, size } = await view(bitmap(), "a.bmp");
    expect([mediaType, size]).toEqual(["image/png", { width: 1, height: 1 }]);
  });

  test("a PNG that stays too large as JPEG, or as WebP where it is transparent", async () => {
    const opaque = await view(noise(1300, 1300));
    const transparent = await view(noise(1100, 1100, 6));
    expect([opaque.mediaType, transparent.mediaType]).toEqual(["image/jpeg", "image/webp"]);
    for (const { bytes } of [opaque, transparent]) expect(bytes.length).toBeLessThanOrEqual(MAXIMUM_SENT_BYTES);
    expect(opaque.text).toMatch(/^a\.png \(PNG 1300×1300, 5\.\d MB; sent as JPEG 1300×1300, /);
  });
});

describe("view_image refuses", () => {
  test("pictures that break off, whatever their decoder makes of them", async () => {
    const jpeg = Buffer.from(await new Bun.Image(noise(64, 64)).jpeg().bytes());
    const webp = Buffer.from(await new Bun.Image(noise(64, 64)).webp().bytes());
    const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
    const missing = "failed: a.png cannot be shown: it breaks off: the end of the picture is missing.";
    const damaged = "failed: a.png cannot be shown: it is damaged or not complete.";
    expect(await refusal(half(jpeg))).toBe(missing);
    // The small picture inside the camera's data has an end of its own.
    const inside = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 6, 0xff, 0xd9, 0, 0]), jpeg.subarray(2)]);
    expect(await refusal(half(inside))).toBe(missing);
    expect(await refusal(half(noise(64, 64)))).toBe(damaged);
    expect(await refusal(half(webp))).toBe(damaged);
    expect(await refusal(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))).toBe(damaged);
    expect(await refusal(Buffer.from("\xff\xd8\xff", "latin1"))).toBe(damaged);
  });

  test("a small file that claims a huge canvas, before memory is taken for it", async () => {
    const bomb = plain(4, 4);
    bomb.writeUInt32BE(10_000, 16);
    bomb.writeUInt32BE(10_000, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    expect(await refusal(bomb)).toBe(
      "failed: a.png cannot be shown: it has more than 64 million pixels. Make a smaller one first.",
    );
  });

  test("more than 20 MB, other content, an empty file, a PDF, a folder and what is missing", async () => {
    const { say, write, root } = open();
    truncateSync(write("big.png", plain(2, 2)), 20_000_001);
    write("text.png", "<svg/>");
    write("empty.png", "");
    write("page.pdf", "%PDF-1.7");
    mkdirSync(join(root, "folder.png"));
    const answers: Record<string, string> = {
      "big.png": "big.png cannot be shown: it has 20000001 bytes, more than 20000000.",
      "text.png": "text.png cannot be shown: its content is not PNG, JPEG, GIF or WebP.",
      "empty.png": "empty.png cannot be shown: its content is not PNG, JPEG, GIF or WebP.",
      "page.pdf": "page.pdf is a PDF. Use read_file.",
      "folder.png": "folder.png is a directory. Use list_dir.",
      "bigg.png": `bigg.png does not exist. Similar names there: ${root}/big.png.`,
    };
    for (const [path, answer] of Object.entries(answers))
      expect(await say(viewImageTool, { path })).toBe(`failed: ${answer}`);
  });

  test("addresses, without asking for anything", async () => {
    const { say, world } = open();
    for (const path of ["https://example.com/a.png", "data:image/png;base64,AAAA", "FILE:///etc/passwd"]) {
      const prepared = viewImageTool(world).prepare({ path });
      expect("asks" in prepared && prepared.asks).toEqual([]);
      expect(await say(viewImageTool, { path })).toBe(
        "failed: view_image takes the path of a file, not an address. Save the picture to a file first.",
      );
    }
  });
});

test("view_image asks for the place a path leads to, as reading it does", () => {
  const { write, root, world } = open();
  write("a.png", plain(2, 2));
  symlinkSync("a.png", join(root, "alias.png"));
  const prepared = viewImageTool(world).prepare({ path: "alias.png" });
  expect("asks" in prepared && prepared.asks).toEqual([
    { category: "file_read", resources: [join(root, "a.png")], summary: "Look at a.png" },
  ]);
});

test("read_file gives the same picture", async () => {
  const { call, write } = open();
  write("a.png", plain(3000, 30));
  expect(await call(readFileTool, { path: "a.png" })).toEqual(await call(viewImageTool, { path: "a.png" }));
});

test("a runtime without a decoder hands on what providers take, and nothing else", async () => {
  const picture = plain(4, 4);
  const without = { decoder: undefined };
  expect(await preparePicture(picture, without)).toEqual({
    ok: true,
    mediaType: "image/png",
    data: picture.toString("base64"),
    description: `PNG, ${picture.length} bytes; sent as it is`,
    sentBytes: picture.length,
  });
  const reason = "its content is not PNG, JPEG, GIF or WebP";
  expect(await preparePicture(bitmap(), without)).toEqual({ ok: false, reason });
  expect(await preparePicture(Buffer.from("%PDF-1.7"), without)).toEqual({ ok: false, reason });
  const long = Buffer.concat([picture, Buffer.alloc(MAXIMUM_SENT_BYTES)]);
  expect(await preparePicture(long, without)).toMatchObject({ ok: false });
});

function colourOf([red = 0, green = 0, blue = 0]: number[]): string {
  if (red > 200 && green > 200 && blue > 200) return "white";
  const strongest = Math.max(red, green, blue);
  return strongest === red ? "red" : strongest === green ? "green" : "blue";
}

/** As the frame header of a JPEG says. */
function channelsOf(jpeg: Buffer): number | undefined {
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  return jpeg[frame + 9];
}

/** One pixel, 24 bits. */
function bitmap(): Buffer {
  const bytes = Buffer.alloc(58);
  bytes.write("BM");
  bytes.writeUInt32LE(58, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(1, 18);
  bytes.writeInt32LE(1, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}
