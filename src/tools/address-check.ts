// Which addresses belong to the open internet. Everything else (this machine, the local network, the address where clouds hand
// out credentials, ranges without a public owner) is only reached when a person allowed it.

export type AddressKind = "public" | "private" | "invalid";

/** Reads IPv4 in dotted form and IPv6 in every form, with the IPv4 address inside a mapped or translated one. */
export function addressKind(address: string): AddressKind {
  const four = parseIPv4(address);
  if (four !== undefined) return inRanges(four, PRIVATE_IPV4) ? "private" : "public";
  const six = parseIPv6(address);
  if (six === undefined) return "invalid";
  const inner = embeddedIPv4(six);
  if (inner !== undefined) return inRanges(inner, PRIVATE_IPV4) ? "private" : "public";
  return isGlobalUnicast(six) && !inRanges(six, PRIVATE_IPV6) ? "public" : "private";
}

type Bytes = readonly number[];
/** The first `bits` bits of an address. */
type Range = readonly [prefix: Bytes, bits: number];

const PRIVATE_IPV4: readonly Range[] = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  [[169, 254], 16],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 31, 196], 24],
  [[192, 52, 193], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[192, 175, 48], 24],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  [[224], 3],
];

/** Only 2000::/3 is given out; inside it these are not. */
const PRIVATE_IPV6: readonly Range[] = [
  [[0x20, 0x01, 0x00], 23],
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x3f, 0xff, 0x00], 20],
];

function isGlobalUnicast(bytes: Bytes): boolean {
  return inRanges(bytes, [[[0x20], 3]]);
}

/** Where an IPv6 address carries an IPv4 one: mapped, translated (two prefixes), and 6to4. */
const CARRIERS: readonly { range: Range; at: number }[] = [
  { range: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96], at: 12 },
  { range: [[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], 96], at: 12 },
  { range: [[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 96], at: 12 },
  { range: [[0x20, 0x02], 16], at: 2 },
];

function embeddedIPv4(bytes: Bytes): Bytes | undefined {
  const carrier = CARRIERS.find(({ range }) => inRanges(bytes, [range]));
  return carrier === undefined ? undefined : bytes.slice(carrier.at, carrier.at + 4);
}

function inRanges(bytes: Bytes, ranges: readonly Range[]): boolean {
  return ranges.some(([prefix, bits]) => {
    const whole = bits >> 3;
    const mask = 0xff00 >> (bits & 7);
    return prefix.every((byte, index) =>
      index < whole ? bytes[index] === byte : ((bytes[index] ?? 0) & mask & 0xff) === (byte & mask & 0xff),
    );
  });
}

/** Four decimal numbers. Shorter, octal and hexadecimal spellings are not addresses here: a URL has none after parsing. */
function parseIPv4(address: string): Bytes | undefined {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** A zone (`%eth0`) is dropped. */
function parseIPv6(address: string): Bytes | undefined {
  const text = address.split("%", 1)[0] ?? "";
  const halves = text.split("::");
  if (!text.includes(":") || halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupBytes);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const given = head.length + (tail?.length ?? 0);
  if (halves.length === 1) return given === 16 ? head : undefined;
  return given > 14 ? undefined : [...head, ...new Array(16 - given).fill(0), ...(tail ?? [])];
}

function groupBytes(text: string): Bytes | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    const four = index === groups.length - 1 ? parseIPv4(group) : undefined;
    if (four !== undefined) bytes.push(...four);
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
}
