import {
  type AgentSessionEvent,
  type CreateAgentSessionOptions,
  type CreateAgentSessionResult,
  createAgentSession,
} from "../../src/sdk.ts";
import type { FakeProvider } from "./fake-provider.ts";
import { startFakeProvider } from "./fake-provider.ts";
import { KEY, NO_SERVERS } from "./front-door.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

// Ralph as a library, in the test's own process, with a private home and a fake provider that stands where Anthropic stands.

export interface SdkDoor {
  workspace: TempWorkspace;
  provider: FakeProvider;
  /** What the library sees of the machine. */
  environment: Record<string, string>;
  /** A session in the project of the workspace. It is disposed with the door. */
  create(options?: CreateAgentSessionOptions): Promise<OpenSession>;
  /** A home for `agentDir`, apart from that of the environment. */
  agentDir: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenSession extends CreateAgentSessionResult {
  events: AgentSessionEvent[];
}

export async function openSdkDoor(): Promise<SdkDoor> {
  const provider = await startFakeProvider();
  const workspace = tempWorkspace();
  const environment = {
    ...workspace.environment,
    ...NO_SERVERS,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: provider.origin,
    RALPH_RETRY_DELAY_MS: "1",
  };
  const opened: CreateAgentSessionResult[] = [];
  return {
    workspace,
    provider,
    environment,
    agentDir: workspace.home,
    async create(options) {
      const made = await createAgentSession({ cwd: workspace.project, environment, ...options });
      opened.push(made);
      const events: AgentSessionEvent[] = [];
      made.session.subscribe((event) => void events.push(event));
      return { ...made, events };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(({ session }) => session.dispose()));
      provider.stop();
      workspace.stop();
    },
  };
}

export interface SentBody {
  model: string;
  system: { text: string }[];
  tools?: { name: string; input_schema: unknown }[];
  messages: { role: string; content: { type: string; text?: string }[] | string }[];
}

/** What the provider was sent, in order. */
export function bodies({ provider }: Pick<SdkDoor, "provider">): SentBody[] {
  return provider.requests.map(({ body }) => body as SentBody);
}

/** The texts of people in a request, without what changes from day to day. */
export function saidIn({ messages }: SentBody): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== "user") return [];
    const texts = typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? []);
    return texts.filter((text) => !text.startsWith("<context>"));
  });
}
