import { expect, test } from "bun:test";
import { proxyFor } from "../../src/cli/proxy.ts";

const PROXY = "http://proxy.test:3128";

const CASES: [title: string, address: string, environment: Record<string, string>, proxy: string | undefined][] = [
  ["nothing is set", "https://a.test", {}, undefined],
  ["the scheme has one", "https://a.test", { HTTPS_PROXY: PROXY }, PROXY],
  ["small letters are set, which win", "https://a.test", { https_proxy: PROXY, HTTPS_PROXY: "http://other" }, PROXY],
  ["only the other scheme has one", "http://a.test", { HTTPS_PROXY: PROXY }, undefined],
  ["there is one for all", "http://a.test", { ALL_PROXY: PROXY }, PROXY],
  ["it is written without a scheme", "http://a.test", { HTTP_PROXY: "proxy.test:3128" }, PROXY],
  ["the host is exempt", "http://a.test", { HTTP_PROXY: PROXY, NO_PROXY: "b.test, a.test" }, undefined],
  ["a parent of the host is exempt", "http://x.a.test", { HTTP_PROXY: PROXY, NO_PROXY: ".a.test" }, undefined],
  ["a host that only ends alike is exempt", "http://xa.test", { HTTP_PROXY: PROXY, NO_PROXY: "a.test" }, PROXY],
  ["everything is exempt", "http://a.test", { HTTP_PROXY: PROXY, NO_PROXY: "*" }, undefined],
  ["the proxy is no address", "http://a.test", { HTTP_PROXY: "http://" }, undefined],
];

test.each(CASES)("the proxy where %s", (_, address, environment, expected) => {
  expect(proxyFor(address, environment)).toBe(expected);
});
