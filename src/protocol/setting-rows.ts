import type { SettingKey, SettingValues } from "./settings.ts";

export interface SettingRow<Key extends SettingKey> {
  default?: SettingValues[Key];
  /** The environment variable that sets it. */
  environment?: string;
  /**
   * What a project's file may do with it. A folder somebody else wrote never chooses addresses, keys, programs or what is
   * spent. What is `allowed` counts once the folder is trusted; where the file can only take away (`adds` to a list of what is
   * not used), it counts at once.
   */
  project: "allowed" | "adds" | "never";
  description: string;
}

export const SETTING_ROWS: { [Key in SettingKey]: SettingRow<Key> } = {
  model: {
    environment: "RALPH_MODEL",
    project: "never",
    description: "the model to use: provider/id, an id, or a role",
  },
  effort: { environment: "RALPH_EFFORT", project: "never", description: "how hard the model thinks" },
  modelRoles: {
    default: {},
    project: "never",
    description: "which model plays default, executor, architect, planner, critic",
  },
  modelProviderOrder: {
    default: [],
    project: "allowed",
    description: "which provider is preferred where several offer a model",
  },
  enabledModels: {
    project: "never",
    description: "only these models can be chosen (patterns, optionally per folder)",
  },
  disabledProviders: {
    default: [],
    project: "adds",
    description: "providers that are never used (optionally per folder)",
  },
  "modelProfile.default": { project: "never", description: "the model profile that is active from the start" },
  cacheRetention: {
    environment: "RALPH_CACHE_RETENTION",
    project: "never",
    description: "how long a provider keeps the prompt cache: none, short, long",
  },
  apiUrl: {
    environment: "RALPH_API_URL",
    project: "never",
    description: "one address for all requests; its host decides the provider",
  },
  "discovery.local": {
    default: true,
    project: "never",
    description: "look for Ollama, llama.cpp and LM Studio on this machine",
  },
  "retry.beforeFirstByte": {
    default: 3,
    project: "never",
    description: "retries of a request that brought no answer",
  },
  "retry.afterFirstByte": { default: 2, project: "never", description: "retries of an answer that broke off" },
  "retry.baseDelayMs": {
    default: 1000,
    environment: "RALPH_RETRY_DELAY_MS",
    project: "never",
    description: "the wait before the first retry",
  },
  "retry.factor": { default: 2, project: "never", description: "by how much each further wait grows" },
  "timeouts.connectSeconds": { default: 15, project: "never", description: "until a provider takes the connection" },
  "timeouts.idleSeconds": {
    default: 300,
    project: "never",
    description: "the longest silence inside a streamed answer",
  },
  "timeouts.wholeSeconds": {
    default: 1800,
    project: "never",
    description: "until an answer that is not streamed is there",
  },
  "compaction.enabled": {
    default: true,
    project: "never",
    description: "shorten a conversation by itself before it gets too long for the model",
  },
  "compaction.triggerPercent": {
    default: 75,
    project: "never",
    description: "how full the model's window is when compaction begins",
  },
  "compaction.targetPercent": {
    default: 35,
    project: "never",
    description: "how full the window is after a compaction",
  },
  "compaction.keepMessages": {
    default: 10,
    project: "never",
    description: "how many recent messages stay word for word, unless they alone are too large",
  },
  "compaction.reserveTokens": {
    default: 16_000,
    project: "never",
    description: "what is left free for the answer, at most a quarter of the window",
  },
  "compaction.promote": {
    default: false,
    project: "never",
    description: "change to a model with a larger window before anything is shortened",
  },
  "compaction.atPriceTier": {
    default: false,
    project: "never",
    description: "begin where the model's tokens get dearer, if that is earlier",
  },
  "compaction.server": {
    default: "auto",
    project: "never",
    description: "auto: the provider shortens the conversation where it can; off: the model always writes a summary",
  },
  theme: {
    default: "auto",
    environment: "RALPH_THEME",
    project: "never",
    description: "what the terminal looks like: auto (by its background), dark, light, high-contrast, ascii",
  },
  screenReader: {
    default: false,
    project: "never",
    description: "plain lines instead of a screen that is drawn, for those who have it read to them",
  },
  "notify.command": {
    project: "never",
    description: "a program, and its arguments, that is told what waits for you; the text comes behind them",
  },
  "secrets.enabled": {
    default: false,
    project: "never",
    description: "hide secrets of the environment and of secrets.yml from models",
  },
  "ttsr.enabled": {
    default: true,
    project: "never",
    description: "whether rules with a condition watch what the model says and does",
  },
  "ttsr.contextMode": {
    default: "discard",
    project: "never",
    description: "what becomes of an answer that was stopped for a rule: discard drops it, keep leaves what it said",
  },
  "ttsr.interruptMode": {
    default: "always",
    project: "never",
    description: "which answers are stopped for a rule: always, prose-only, tool-only, never; a rule may say otherwise",
  },
  "ttsr.repeatMode": {
    default: "once",
    project: "never",
    description: "whether the model is told of a rule once in a session, or again after-gap",
  },
  "ttsr.repeatGap": {
    default: 10,
    project: "never",
    description: "after how many answers a rule may come again, where ttsr.repeatMode is after-gap",
  },
  "shell.environment": {
    default: [],
    project: "never",
    description: "variables commands get besides the usual ones: names, or beginnings with a * behind",
  },
  sandbox: {
    default: "auto",
    project: "never",
    description: "auto: commands run in the sandbox where the system has one; off: with all your rights",
  },
  "permissions.allow": { project: "never", description: "what is done without a question, as rules" },
  "permissions.ask": { project: "adds", description: "what is always asked about, as rules" },
  "permissions.deny": { project: "adds", description: "what is never done, as rules; they win over all others" },
  "permissions.claude": {
    default: true,
    project: "never",
    description: "whether what Claude Code's settings allow, yours and those of a project you trusted, counts here too",
  },
  "approval_gates.enabled": { project: "never", description: "whether anything is asked at all" },
  "approval_gates.categories": {
    project: "never",
    description: "allow, gate, deny or tiered for each kind of ask (file_read, file_write, shell, …)",
  },
  "approval_gates.allowlist": { project: "never", description: "commands and places that need no question, by tool" },
};
