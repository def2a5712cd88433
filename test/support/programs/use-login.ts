import { renewLogin } from "../../../src/models/login/token-requests.ts";
import { openCredentialStore } from "../../../src/models/stored-credentials/credential-store.ts";
import { systemClock } from "../../../src/system/clock.ts";

// Opens a stored login once, when a line comes, and prints what it got.

const [path = "", provider = ""] = process.argv.slice(2);
const transport = { now: systemClock.now, proxyFor: () => undefined };
const store = openCredentialStore({ path, clock: systemClock, renew: (login) => renewLogin(login, transport) });
process.stdout.write("ready\n");
for await (const _ of Bun.stdin.stream()) break;
process.stdout.write(`${JSON.stringify(await store.find(provider))}\n`);
process.exit(0);
