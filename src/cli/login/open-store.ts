import { type CredentialStore, openCredentialStore } from "../../models/stored-credentials/credential-store.ts";
import { proxyFor } from "../proxy.ts";
import type { RunContext } from "../run-context.ts";

/** The store of keys and logins of this user. Nothing is read before something of it is asked for. */
export function openStore({
  paths,
  environment,
  clock,
}: Pick<RunContext, "paths" | "environment" | "clock">): CredentialStore {
  return openCredentialStore({
    path: paths.credentials,
    clock,
    async renew(login) {
      const { renewLogin } = await import("../../models/login/token-requests.ts");
      return renewLogin(login, { now: clock.now, proxyFor: (address) => proxyFor(address, environment) });
    },
  });
}
