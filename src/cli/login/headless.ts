export interface Surroundings {
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  exists(path: string): boolean;
}

/** Whether no browser of this machine would be seen by the person: then the address is shown for another one. */
export function isHeadless({ environment, platform, exists }: Surroundings): boolean {
  const isSet = (name: string) => (environment[name] ?? "") !== "";
  if (ELSEWHERE.some(isSet)) return true;
  if (CONTAINER_FILES.some(exists)) return true;
  return platform === "linux" && !isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY");
}

/** Set where the person sits at another machine, or where this one is a container. */
const ELSEWHERE = [
  "SSH_CONNECTION",
  "SSH_CLIENT",
  "SSH_TTY",
  "CODESPACES",
  "REMOTE_CONTAINERS",
  "KUBERNETES_SERVICE_HOST",
  "container",
];
const CONTAINER_FILES = ["/.dockerenv", "/run/.containerenv"];
