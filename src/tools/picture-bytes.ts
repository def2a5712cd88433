// What the bytes of a picture tell without decoding it, where the decoder does not say it.

/** Whether the end of the picture is there. Decoders fill up what is missing with grey and call it a success. */
export function isWholeJpeg(bytes: Uint8Array): boolean {
  let place = 2;
  while (place + 4 <= bytes.length && bytes[place] === 0xff) {
    const marker = bytes[place + 1] ?? 0;
    if (marker === 0xff) place += 1;
    else if (marker === START_OF_SCAN) return hasEndMarker(bytes, place);
    else place += 2 + readUint16(bytes, place + 2);
  }
  return false;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Inside a scan 0xff is always followed by something else than this marker. */
function hasEndMarker(bytes: Uint8Array, from: number): boolean {
  for (let place = bytes.indexOf(0xff, from); place !== -1; place = bytes.indexOf(0xff, place + 1)) {
    if (bytes[place + 1] === END_OF_IMAGE) return true;
  }
  return false;
}

/** Whether a PNG may be transparent somewhere. */
export function pngHasAlpha(bytes: Uint8Array): boolean {
  const colourType = bytes[25] ?? 0;
  return colourType === 4 || colourType === 6 || hasTransparencyChunk(bytes);
}

function hasTransparencyChunk(bytes: Uint8Array): boolean {
  let place = 8;
  while (place + 8 <= bytes.length) {
    const type = String.fromCharCode(...bytes.subarray(place + 4, place + 8));
    if (type === "tRNS") return true;
    if (type === "IDAT") return false;
    place += 12 + readUint32(bytes, place);
  }
  return false;
}

/** Whether a GIF moves. */
export function isAnimatedGif(bytes: Uint8Array): boolean {
  let frames = 0;
  let place = 13 + colourTableBytes(bytes[10] ?? 0);
  while (place < bytes.length && frames < 2) {
    if (bytes[place] === GIF_EXTENSION) place = afterSubBlocks(bytes, place + 2);
    else if (bytes[place] === GIF_FRAME) {
      frames++;
      place = afterSubBlocks(bytes, place + 11 + colourTableBytes(bytes[place + 9] ?? 0));
    } else break;
  }
  return frames > 1;
}

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function afterSubBlocks(bytes: Uint8Array, from: number): number {
  let place = from;
  while (place < bytes.length && bytes[place] !== 0) place += (bytes[place] ?? 0) + 1;
  return place + 1;
}

function readUint16(bytes: Uint8Array, place: number): number {
  return ((bytes[place] ?? 0) << 8) | (bytes[place + 1] ?? 0);
}

function readUint32(bytes: Uint8Array, place: number): number {
  return readUint16(bytes, place) * 65_536 + readUint16(bytes, place + 2);
}
