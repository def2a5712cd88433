/** What an unattended host may declare that it uses. */
export const SCOPES = [
  "prompt",
  "control",
  "bash",
  "export",
  "session",
  "model",
  "message:read",
  "host_tools",
  "host_uri",
  "admin",
] as const;

export type Scope = (typeof SCOPES)[number];
