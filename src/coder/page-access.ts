import { addressKind } from "../tools/address-check.ts";
import type { PageWorld } from "../tools/page-request.ts";
import { resolveHost } from "../tools/resolve-host.ts";

// Which pages may be fetched once a person, or --yolo, allowed the address that was asked for.

/** Clouds hand out credentials at such addresses, also inside others; nobody needs a page from there. */
const HANDS_OUT_KEYS = /^(169\.254\.|fe[89ab]|fd00:ec2::|(::ffff|64:ff9b):(:?)(169\.254\.|a9fe:))/i;

export const PAGE_ACCESS: PageWorld = {
  resolve: resolveHost,
  /** Whoever allowed `localhost` or `192.168.…` saw that it is near; a public name that leads inside was not allowed. */
  allowsAddress(url, address) {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const saysSo = host === "localhost" || host.endsWith(".localhost") || addressKind(host) !== "invalid";
    return saysSo && !HANDS_OUT_KEYS.test(address);
  },
  /** Another host or port was not asked for; only the step from http to https is taken. */
  allowsRedirect: (from, to) => {
    const isSecured = from.protocol === "http:" && from.port === "" && to.protocol === "https:" && to.port === "";
    return from.origin === to.origin || (from.hostname === to.hostname && isSecured);
  },
};
