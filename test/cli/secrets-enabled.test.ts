import { describe, expect, test } from "bun:test";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { sampleKey } from "../support/sample-keys.ts";

const KEY = sampleKey("Stripe key", 3);
const LISTED = "a listed phrase";
const environment = { PAYMENT_API_KEY: KEY };

/** What the fake model saw of the key in the file it read. */
function seen(body: unknown): string {
  return /key is (\S+?)(?:\\n|")/.exec(JSON.stringify(body))?.[1] ?? "nothing";
}

async function runWith(
  config: string,
  args: string[] = [],
): Promise<{ ralph: FrontDoor; stdout: string; stderr: string }> {
  const ralph = await openFrontDoor({
    answers: [
      toolCallAnswer({ name: "read_file", input: { path: "notes.txt" } }),
      (request) => textAnswer(`I saw ${seen(request.body)}`),
    ],
  });
  ralph.writeConfig(config);
  ralph.workspace.write("project/notes.txt", `the key is ${KEY}\nand ${LISTED}\n`);
  ralph.workspace.write("project/.ralph/secrets.yml", `- {type: plain, content: ${LISTED}}\n- {type: plain}\n`);
  const { stdout, stderr } = await ralph.run(["-p", "look at notes.txt", ...args], { environment });
  return { ralph, stdout, stderr };
}

const sent = ({ provider }: FrontDoor) => JSON.stringify(provider.requests.map(({ body }) => body));
const stored = ({ workspace }: FrontDoor) =>
  workspace
    .find("ralph-home/data/sessions/**/*.jsonl")
    .map((name) => workspace.read(name))
    .join("");

describe("secrets.enabled", () => {
  test("is off by default: then everything is as it is", async () => {
    const { ralph, stdout, stderr } = await runWith("");
    using _ = ralph;
    expect([stdout, stderr]).toEqual([`I saw ${KEY}\n`, ""]);
    expect([sent(ralph), stored(ralph)].map((text) => text.includes(KEY))).toEqual([true, true]);
  });

  test("hides keys of the environment from the model and from files; the person sees them", async () => {
    const { ralph, stdout, stderr } = await runWith("secrets: {enabled: true}\n");
    using _ = ralph;
    expect(stdout).toBe(`I saw ${KEY}\n`);
    expect(stderr).toBe(
      "ralph: This folder is not trusted, so what its .ralph says does not count (.ralph/secrets.yml). Obey it: ralph trust, or --trust for one run.\n",
    );
    expect([sent(ralph), stored(ralph)].map((text) => text.includes(KEY))).toEqual([false, false]);
    expect(sent(ralph)).toContain(LISTED);
    expect(seen(ralph.provider.requests[1]?.body)).toMatch(/^#[A-Z0-9]{4}#$/);
  });

  test("hides what a trusted project lists, and shows programs only placeholders", async () => {
    const { ralph, stdout, stderr } = await runWith("secrets: {enabled: true}\n", ["--trust", "--mode", "json"]);
    using _ = ralph;
    expect(stderr).toBe(
      `ralph: ${ralph.workspace.project}/.ralph/secrets.yml:2: content has the wrong form (type: plain or regex, content, mode, replacement, flags); this entry is left out.\n`,
    );
    for (const text of [stdout, sent(ralph), stored(ralph)]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain(LISTED);
    }
    expect(stdout).toMatch(/I saw #[A-Z0-9]{4}#/);
  });

  test("gives a resumed session back what its file hides", async () => {
    const { ralph } = await runWith("secrets: {enabled: true}\n");
    using _ = ralph;
    await ralph.run(["-p", "-c", "and now?"], { environment });
    const [, before, after] = ralph.provider.requests.map(({ body }) => body as { messages: unknown[] });
    expect(JSON.stringify(after)).not.toContain(KEY);
    expect(seen(after)).toBe(seen(before));
  });
});
