type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy the environment names for an address, as curl reads these variables; undefined for a direct connection. */
export function proxyFor(address: string, environment: Environment): string | undefined {
  const url = URL.parse(address);
  if (url === null || isExempt(url.hostname, value("no_proxy", environment) ?? "")) return undefined;
  const scheme = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = value(scheme, environment) ?? value("all_proxy", environment);
  if (proxy === undefined) return undefined;
  const withScheme = proxy.includes("://") ? proxy : `http://${proxy}`;
  return URL.canParse(withScheme) ? withScheme : undefined;
}

function value(name: string, environment: Environment): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined;
}

function isExempt(host: string, list: string): boolean {
  return list.split(",").some((entry) => {
    const name = entry
      .trim()
      .replace(/^\*?\./, "")
      .replace(/:\d+$/, "");
    return entry.trim() === "*" || (name !== "" && (host === name || host.endsWith(`.${name}`)));
  });
}
