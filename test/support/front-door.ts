import type { FakeProvider, FakeProviderOptions } from "./fake-provider.ts";
import { startFakeProvider } from "./fake-provider.ts";
import { runInTerminal, type TerminalRalph } from "./run-in-terminal.ts";
import { type LiveRalph, type RalphExit, type RunOptions, runRalph, startRalph } from "./run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

// Ralph with a private home and a fake provider that stands where Anthropic stands, ready to be asked.

export interface FrontDoor {
  workspace: TempWorkspace;
  provider: FakeProvider;
  run(args: string[], options?: Options): Promise<RalphExit>;
  start(args: string[], options?: Options): LiveRalph;
  inTerminal(args: string[], options?: Options): TerminalRalph;
  /** Both are files of the user. */
  writeConfig(text: string): void;
  writeModels(text: string): void;
  [Symbol.dispose](): void;
}

type Options = Omit<RunOptions, "workspace">;

export const KEY = "sk-ant-fake-0123456789";

/** Nothing listens there, so that servers on the machine play no part. */
export const NO_SERVERS = {
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
  LM_STUDIO_BASE_URL: "http://127.0.0.1:9",
};

export async function openFrontDoor(options: FakeProviderOptions = {}): Promise<FrontDoor> {
  const provider = await startFakeProvider(options);
  const workspace = tempWorkspace();
  const standard = {
    ...NO_SERVERS,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: provider.origin,
    RALPH_RETRY_DELAY_MS: "1",
  };
  const complete = (own: Options = {}): RunOptions => ({
    ...own,
    workspace,
    environment: { ...standard, ...own.environment },
  });
  return {
    workspace,
    provider,
    run: (args, own) => runRalph(args, complete(own)),
    start: (args, own) => startRalph(args, complete(own)),
    inTerminal: (args, own) => runInTerminal(args, complete(own)),
    writeConfig: (text) => void workspace.write("ralph-home/config/config.yml", text),
    writeModels: (text) => void workspace.write("ralph-home/config/models.yml", text),
    [Symbol.dispose]: () => {
      provider.stop();
      workspace.stop();
    },
  };
}

/** What a run says about how it ended, without how long it took. */
export function outcomeOf({ code, stdout, stderr }: RalphExit): Pick<RalphExit, "code" | "stdout" | "stderr"> {
  return { code, stdout, stderr };
}

/** The host a provider's errors name. */
export function hostOf({ provider }: Pick<FrontDoor, "provider">): string {
  return new URL(provider.origin).host;
}
