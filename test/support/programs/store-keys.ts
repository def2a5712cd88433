import { openCredentialStore } from "../../../src/models/stored-credentials/credential-store.ts";
import { systemClock } from "../../../src/system/clock.ts";

// Stores keys one after the other under names of its own, and says each one that is kept. Ends after the last, or when killed.

const [path = "", name = "", count = "1"] = process.argv.slice(2);
const renew = async () => ({ ok: false as const, isOver: true, message: "nothing is renewed here" });
const store = openCredentialStore({ path, clock: systemClock, renew });
for (let number = 0; number < Number(count); number++) {
  const stored = await store.storeKey(`${name}-${number % 20}`, `key-${name}-${number}`);
  process.stdout.write(`${stored.ok ? number : stored.message}\n`);
}
process.exit(0);
