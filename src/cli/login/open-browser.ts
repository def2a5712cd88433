import type { RunContext } from "../run-context.ts";

/** Opens an address in the person's browser. False where nothing could be started for it. */
export function openBrowser({ environment }: Pick<RunContext, "environment">, address: string): boolean {
  const opener = openerFor(process.platform);
  if (!/^https?:\/\/[^\s]+$/.test(address) || Bun.which(opener[0], { PATH: environment.PATH ?? "" }) === null)
    return false;
  try {
    const child = Bun.spawn([...opener, address], {
      env: { ...environment },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    });
    child.unref();
    return true;
  } catch {
    return false;
  }
}

function openerFor(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
