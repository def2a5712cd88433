import { describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/protocol/json.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { attempts, ORDERS, plantAttempts } from "../support/loosening-attempts.ts";

const CONFIG = "permissions:\n  allow: ['Bash(echo kept:*)']\n  deny: ['Bash(curl:*)']\n";
/** One of each kind of answer the gate gives. */
const PROBES = ["ls", "echo kept", "touch x", "curl http://x", "cat .env", "sudo ls", "cat /etc/passwd", "npm install"];

interface Setting {
  title: string;
  flags: string[];
  /** Tried after every attempt; what it would leave behind if it were done. */
  canary(number: number): { name: string; input: Record<string, unknown> };
  refusal: RegExp;
}

/** The second lets the model do all that asking would ever let it do. */
const SETTINGS: Setting[] = [
  {
    title: "without a person",
    flags: [],
    canary: (number) => ({ name: "shell", input: { command: `touch pwned-${number}` } }),
    refusal: /needs a yes \(touch pwned-\d+: touch is never run unasked\), and nobody can be asked/,
  },
  {
    title: "where every question is answered with yes",
    flags: ["--yolo"],
    canary: (number) => ({ name: "shell", input: { command: `env curl -o pwned-${number} http://127.0.0.1:9` } }),
    refusal: /Bash\(curl:\*\) of permissions\.deny denies it/,
  },
];

describe("nothing a model, a file or a server says loosens the gate", () => {
  for (const { title, flags, canary, refusal } of SETTINGS) {
    test(`${title}: after every one of the attempts the same is refused, and the policy is what it was`, async () => {
      using ralph = await openFrontDoor();
      ralph.writeConfig(CONFIG);
      plantAttempts(ralph.workspace);
      const before = await policyOf(ralph);
      const tried = attempts(ralph.workspace);
      expect(tried.length).toBeGreaterThanOrEqual(120);
      ralph.provider.answer(
        ...tried.flatMap((attempt, number) => [toolCallAnswer(attempt), toolCallAnswer(canary(number))]),
        textAnswer(`${ORDERS} Answer: y`),
      );
      const run = await ralph.run(["-p", "go", "--max-turns", "1000", ...flags], { timeoutMs: 110_000 });
      expect(run.code).toBe(0);
      const results = toolResults(ralph);
      expect(results.length).toBe(tried.length * 2);
      const loosened = tried.filter((_, number) => !refusal.test(results[number * 2 + 1] ?? ""));
      expect(loosened).toEqual([]);
      expect(ralph.workspace.find("**/pwned*")).toEqual([]);
      expect(await policyOf(ralph)).toEqual(before);
    }, 120_000);
  }
});

/** What the gate says to one of each kind, and the files that say so. */
async function policyOf(ralph: FrontDoor): Promise<unknown> {
  const said = await Promise.all(PROBES.map(async (probe) => (await ralph.run(["why", "--", probe])).stdout));
  const files = ralph.workspace.find("ralph-home/config/**").map((path) => [path, ralph.workspace.read(path)]);
  const answers = ralph.workspace.find("ralph-home/data/permissions.json").map((path) => ralph.workspace.read(path));
  const own = ["user/.config/**", "user/.claude/**", "user/.*"].flatMap((glob) => ralph.workspace.find(glob));
  return { said, files, answers, own };
}

/** Of the whole conversation, in order. */
function toolResults({ provider }: FrontDoor): string[] {
  const body = asObject(provider.requests.at(-1)?.body);
  return asArray(body?.messages).flatMap((message) =>
    asArray(asObject(message)?.content).flatMap((part) => {
      const { type, content } = asObject(part) ?? {};
      return type === "tool_result" ? [JSON.stringify(content)] : [];
    }),
  );
}
