import { addressKind } from "../tools/address-check.ts";
import type { PageWorld } from "../tools/page-request.ts";
import { resolveHost } from "../tools/resolve-host.ts";

// Which pages may be fetched once a person, or --yolo, allowed the address that was asked for.

/** Clouds hand out credentials at link-local addresses; nobody needs a page from there. */
const LINK_LOCAL = /^(169\.254\.|fe[89ab]|::ffff:(169\.254\.|a9fe:))/i;

export const PAGE_ACCESS: PageWorld = {
  resolve: resolveHost,
  /** Whoever allowed `localhost` or `192.168.…` saw that it is near; a public name that leads inside was not allowed. */
  allowsAddress(url, address) {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const saysSo = host === "localhost" || host.endsWith(".localhost") || addressKind(host) !== "invalid";
    return saysSo && !LINK_LOCAL.test(address);
  },
  /** Another host was not asked for. The way back from https to http is not taken. */
  allowsRedirect: (from, to) =>
    from.hostname === to.hostname && (from.protocol === to.protocol || to.protocol === "https:"),
};
