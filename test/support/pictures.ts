import { crc32, deflateSync } from "node:zlib";

// Pictures made byte by byte, so that a test knows what is in them.

export type Pixel = (x: number, y: number) => number[];

export interface PngOptions {
  depth?: 8 | 16;
  /** 2 is red, green and blue; 6 has transparency as well. */
  colourType?: 2 | 6;
  chunks?: Buffer[];
}

/** Each pixel as its channels, 0 to 255. */
export function png(width: number, height: number, options: PngOptions & { pixel: Pixel }): Buffer {
  const { depth = 8, colourType = 2, chunks = [], pixel } = options;
  const pixelBytes = (colourType === 6 ? 4 : 3) * (depth / 8);
  const rows = Buffer.alloc(height * (1 + width * pixelBytes));
  let place = 0;
  for (let y = 0; y < height; y++) {
    place++;
    for (let x = 0; x < width; x++) {
      for (const channel of pixel(x, y)) {
        for (let byte = 0; byte < depth / 8; byte++) rows[place++] = channel;
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = colourType;
  const content = [
    pngChunk("IHDR", header),
    ...chunks,
    pngChunk("IDAT", deflateSync(rows, { level: 1 })),
    pngChunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...content]);
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function plain(width: number, height: number): Buffer {
  return png(width, height, { pixel: () => [200, 100, 50] });
}

/** A quarter each of red, green, blue and white: from it one sees how a picture was turned. */
export function quarters(width: number, height: number): Buffer {
  const pixel: Pixel = (x, y) => {
    const isLeft = x < width / 2;
    if (y < height / 2) return isLeft ? [255, 0, 0] : [0, 255, 0];
    return isLeft ? [0, 0, 255] : [255, 255, 255];
  };
  return png(width, height, { pixel });
}

/** Nothing a compressor could shorten. */
export function noise(width: number, height: number, colourType: 2 | 6 = 2): Buffer {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed >>> 24;
  };
  const pixel = colourType === 6 ? () => [next(), next(), next(), next()] : () => [next(), next(), next()];
  return png(width, height, { colourType, pixel });
}

/** The same JPEG with what a camera writes into it: how it was held, and where. */
export function withExif(jpeg: Uint8Array, orientation: number): Buffer {
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  const directory = Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0]);
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), directory, Buffer.from("GPS 48.1 11.5")]);
  const start = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), start, body, jpeg.subarray(2)]);
}

/** One grey block of eight by eight in cyan, magenta, yellow and black. */
export function cmykJpeg(): Buffer {
  const segment = (marker: number, ...data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
  const oneCode = (table: number) => segment(0xc4, table, 1, ...Array<number>(15).fill(0), 0);
  const components = [1, 2, 3, 4];
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, 0, ...Array<number>(64).fill(1)),
    ...segment(0xc0, 8, 0, 8, 0, 8, 4, ...components.flatMap((id) => [id, 0x11, 0])),
    ...oneCode(0x00),
    ...oneCode(0x10),
    ...segment(0xda, 4, ...components.flatMap((id) => [id, 0]), 0, 63, 0),
    ...[0x00, 0xff, 0xd9],
  ]);
}

/** One pixel that is red first, then blue. */
export function animatedGif(frames = 2): Buffer {
  const head = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255];
  const frame = (index: number) => [
    ...[0x21, 0xf9, 4, 0, 10, 0, 0, 0],
    ...[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44 + index * 8, 0x01, 0],
  ];
  const all = Array.from({ length: frames }, (_, index) => frame(index % 2));
  return Buffer.from([...head, ...all.flat(), 0x3b]);
}

/** The colour of one pixel of a picture, as Bun decodes it: the raw channels come from a PNG without compression tricks. */
export async function pixelOf(picture: Uint8Array, x: number, y: number): Promise<number[]> {
  const image = new Bun.Image(picture, { autoOrient: false });
  const bytes = await image.png().bytes();
  return decodePixel(bytes, { x, y, width: image.width });
}

function decodePixel(bytes: Uint8Array, { x, y, width }: { x: number; y: number; width: number }): number[] {
  const channels = bytes[25] === 6 ? 4 : 3;
  const rows = unfiltered(inflated(bytes), width * channels, channels);
  return [...(rows[y] ?? new Uint8Array()).subarray(x * channels, x * channels + 3)];
}

function inflated(bytes: Uint8Array): Buffer {
  const view = Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for (let place = 8; place < view.length; place += 12 + view.readUInt32BE(place)) {
    if (view.toString("latin1", place + 4, place + 8) !== "IDAT") continue;
    pieces.push(view.subarray(place + 8, place + 8 + view.readUInt32BE(place)));
  }
  return Buffer.from(Bun.inflateSync(Buffer.concat(pieces), { windowBits: 15 }));
}

function unfiltered(data: Uint8Array, stride: number, channels: number): Uint8Array[] {
  const rows: Uint8Array[] = [];
  for (let start = 0; start < data.length; start += stride + 1) {
    const row = Uint8Array.from(data.subarray(start + 1, start + 1 + stride));
    const above = rows.at(-1) ?? new Uint8Array(stride);
    for (let index = 0; index < stride; index++) {
      const left = row[index - channels] ?? 0;
      const corner = above[index - channels] ?? 0;
      row[index] = (row[index] ?? 0) + predicted(data[start] ?? 0, { left, up: above[index] ?? 0, corner });
    }
    rows.push(row);
  }
  return rows;
}

function predicted(filter: number, { left, up, corner }: { left: number; up: number; corner: number }): number {
  if (filter < 3) return [0, left, up][filter] ?? 0;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
