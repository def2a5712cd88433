const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING = 7;

/** One message of application/vnd.amazon.eventstream; all headers are text. */
export function encodeAwsEvent(headers: Record<string, string>, payload: Uint8Array | string): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, 8)), 8);
  head.copy(message, PRELUDE_BYTES);
  body.copy(message, PRELUDE_BYTES + head.length);
  const covered = message.length - CHECKSUM_BYTES;
  message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, covered)), covered);
  return new Uint8Array(message);
}

function encodeHeader(name: string, value: string): Buffer {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([Buffer.of(nameBytes.length), nameBytes, Buffer.of(STRING), length, valueBytes]);
}
