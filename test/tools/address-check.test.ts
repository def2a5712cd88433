import { expect, test } from "bun:test";
import { BlockList, isIPv4, isIPv6 } from "node:net";
import * as fc from "fast-check";
import { addressKind } from "../../src/tools/address-check.ts";

const kinds = (addresses: string[]) => addresses.map((address) => `${address} ${addressKind(address)}`);
const all = (kind: string, addresses: string[]) => addresses.map((address) => `${address} ${kind}`);

test("addresses of the open internet are public", () => {
  const addresses = [
    ...["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0"],
    ...["198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001:82a::200e"],
    ...["::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8", "2002:808:808::1"],
  ];
  expect(kinds(addresses)).toEqual(all("public", addresses));
});

test("this machine, local networks, metadata and unowned ranges are private", () => {
  const addresses = [
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1"],
    ...["172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "240.0.0.1"],
    ...["255.255.255.255", "::", "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1"],
    ...["2001:db8::1", "2001::1", "fec0::1", "64:ff9b:1::1", "100::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe"],
    ...["::ffff:0:10.0.0.1", "64:ff9b::169.254.169.254", "2002:7f00:1::", "0:0:0:0:0:ffff:7f00:1", "::127.0.0.1"],
  ];
  expect(kinds(addresses)).toEqual(all("private", addresses));
});

test("anything else is no address", () => {
  const texts = ["", "localhost", "1.2.3", "01.2.3.4", "0x7f.0.0.1", "2130706433", "256.1.1.1", ":", ":::", "1::2::3"];
  expect(kinds(texts)).toEqual(all("invalid", texts));
});

test("what counts as an address is what the platform takes for one", () => {
  const piece = fc.constantFrom(":", "::", ".", "0", "1", "ffff", "127", "255", "256", "%e", "12345", "a");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      ),
      (text) => {
        const isAddress = isIPv4(text) || isIPv6(text.split("%", 1)[0] ?? "");
        expect([text, addressKind(text) !== "invalid"]).toEqual([text, isAddress]);
      },
    ),
    { numRuns: 500 },
  );
});

test("every spelling of an IPv4 address inside an IPv6 one is judged as the IPv4 address", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const spellings = [
        `::ffff:${address}`,
        `::FFFF:${hex}`,
        `0:0:0:0:0:ffff:${hex}`,
        `64:ff9b::${hex}`,
        `2002:${hex}::`,
      ];
      const kind = addressKind(address);
      expect(spellings.map(addressKind)).toEqual(spellings.map(() => kind));
    }),
  );
});

test("no address of the classic private networks is ever public", () => {
  const block = new BlockList();
  for (const [net, bits] of [
    ["10.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
  ] as const)
    block.addSubnet(net, bits);
  const near = fc
    .tuple(
      fc.constantFrom(9, 10, 127, 169, 172, 192),
      fc.constantFrom(15, 16, 31, 32, 168, 254),
      fc.nat(255),
      fc.nat(255),
    )
    .map((bytes) => bytes.join("."));
  fc.assert(
    fc.property(near, (address) => {
      if (block.check(address)) expect([address, addressKind(address)]).toEqual([address, "private"]);
    }),
  );
});
