import { existsSync } from "node:fs";

const LIMIT_MS = 120_000;

/** Debian's bubblewrap, where it is missing and we may install it: as root, with apt. Whether it worked shows when it is tried. */
export function installBubblewrap(): void {
  const isThere = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].some((path) => existsSync(path));
  const mayInstall = process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (isThere || !mayInstall) return;
  Bun.spawnSync(["apt-get", "install", "-y", "--no-install-recommends", "bubblewrap"], {
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "ignore"],
    timeout: LIMIT_MS,
  });
}
