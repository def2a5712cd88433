import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackOff } from "../../../src/permissions/gate/back-off.ts";
import { buildPolicy, type PolicySources } from "../../../src/permissions/gate/build-policy.ts";
import { createPermissionGate, type PersonAnswer } from "../../../src/permissions/gate/create-gate.ts";
import { decideCommand } from "../../../src/permissions/gate/decide-command.ts";
import type { PermissionRule } from "../../../src/permissions/gate/permission-rule.ts";
import { DEFAULT_ACTIONS } from "../../../src/permissions/gate/policy.ts";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import type { CommandNeeds } from "../../../src/protocol/asks.ts";

// What the gate lets a command have beyond the sandbox, and who has to say so.

const base = realpathSync(mkdtempSync(join(tmpdir(), "ralph-needs-")));
const workspace = join(base, "project");
const home = join(base, "home");
const outside = join(base, "outside");
for (const folder of [workspace, home, outside]) mkdirSync(folder, { recursive: true });
writeFileSync(join(outside, "file"), "");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const own = { config: join(home, "config"), data: join(home, "data") };
const world = { workspace, home, classify: createPathClassifier({ home, own, now: () => 0 }) };

interface Setup extends Partial<PolicySources> {
  yolo?: boolean;
  answer?: PersonAnswer;
  isSandboxed?: boolean;
}

async function gateWith({ yolo = false, answer, isSandboxed = true, ...sources }: Setup = {}) {
  const asked: (CommandNeeds | undefined)[] = [];
  const remembered = { allow: [], deny: [] };
  const { policy } = await buildPolicy({
    settings: {},
    allowed: [],
    allowedCategories: [],
    remembered,
    isSandboxed: false,
    ...sources,
  });
  const gate = createPermissionGate({
    policy,
    world,
    isSandboxed: async () => isSandboxed,
    yolo,
    backOff: createBackOff(() => 0),
    askPerson: async ({ needs }) => {
      asked.push(needs);
      return answer;
    },
    remember: async () => undefined,
    decided: () => {},
  });
  const decide = async (command: string, needs?: CommandNeeds) => {
    const ask = { category: "shell" as const, resources: [command], summary: command, cwd: workspace };
    const { effect, tier, grant } = await gate.decide({ ...ask, ...(needs && { needs }) }, "shell");
    return { said: `${effect} by ${tier}`, ...(grant && { grant }) };
  };
  return { decide, asked };
}

describe("in the sandbox", () => {
  const rows: [command: string, needs: CommandNeeds | undefined][] = [
    ["rm -rf build", undefined],
    ["curl https://example.com", { network: true }],
    ["npm install left-pad", { network: true }],
    [`touch ${outside}/new`, { writable: [outside] }],
    [`echo x > ${outside}/file`, { writable: [join(outside, "file")] }],
    [`mkdir -p ${outside}/a/b/c`, { writable: [outside] }],
    ["touch /tmp/ralph-nobody-made-this/scratch", undefined],
    ["touch ~/new", undefined],
    ["git push", { network: true, unsandboxed: true }],
    ["cd src && git push", { network: true, unsandboxed: true }],
    ["git push 2>&1 | tail -3", { network: true, unsandboxed: true }],
    ["git push && make", { network: true }],
    ["git push $(make)", { network: true }],
    ["git init", { unsandboxed: true }],
    ["docker ps", { network: true, unsandboxed: true }],
  ];
  test.each(rows)("a person who allows %s is shown and gives what it needs", async (command, needs) => {
    const { decide, asked } = await gateWith({ answer: { type: "once" } });
    expect(await decide(command)).toEqual({ said: "allow by person", ...(needs && { grant: needs }) });
    expect(asked).toEqual([needs]);
  });

  test("the project's own code runs unasked and gets nothing, alone and beside what only reads", async () => {
    const { decide, asked } = await gateWith();
    for (const command of ["npm test", "make && git status", "cargo build | tail -5"])
      expect(await decide(command)).toEqual({ said: "allow by category" });
    expect(asked).toEqual([]);
  });

  test("what a rule allows about the network takes no other code with it", async () => {
    const { decide } = await gateWith({ allowed: ["Bash(curl:*)"] });
    expect(await decide("curl https://example.com")).toEqual({ said: "allow by grant", grant: { network: true } });
    expect(await decide("npm test && curl https://example.com")).toEqual({ said: "deny by headless" });
  });

  test("a wish of the model is asked about whatever rules there are, and named", async () => {
    const { decide, asked } = await gateWith({ allowed: ["Bash"] });
    expect(await decide("npm test", { network: true })).toEqual({ said: "deny by headless" });
    expect(await decide("git status", { unsandboxed: true })).toEqual({ said: "deny by headless" });
    expect(asked).toEqual([{ network: true }, { unsandboxed: true }]);
  });

  test("--yolo and rules for every command open the network and named places, and let nothing out", async () => {
    for (const setup of [{ yolo: true }, { allowed: ["Bash"] }, { allowedCategories: ["shell" as const] }]) {
      const { decide } = await gateWith(setup);
      expect((await decide("git push")).grant).toEqual({ network: true });
      expect((await decide(`touch ${outside}/new`)).grant).toEqual({ writable: [outside] });
      expect((await decide("git status", { unsandboxed: true })).said).toBe("deny by headless");
    }
  });

  test("a denied network is neither asked for nor given", async () => {
    const { decide, asked } = await gateWith({
      yolo: true,
      settings: { "approval_gates.categories": { network: "deny" } },
    });
    expect(await decide("curl https://example.com")).toEqual({ said: "allow by category" });
    expect(await decide("npm test", { network: true })).toEqual({ said: "deny by category" });
    expect(await decide("npm test", { unsandboxed: true })).toEqual({ said: "deny by category" });
    expect(asked).toEqual([]);
  });

  test("no everyday command that a rule allows is asked about", () => {
    const lines = readFileSync(join(import.meta.dir, "../../fixtures/permissions/everyday.jsonl"), "utf8").trimEnd();
    const friction = lines.split("\n").flatMap((line) => {
      const { command, cwd = "/code/project", allow_rules } = JSON.parse(line) as EverydayCase;
      const rules = allow_rules.filter(Array.isArray).map(
        (words): PermissionRule => ({
          effect: "allow",
          text: words.join(" "),
          origin: "the corpus",
          body: { type: "command", words, isExact: false },
        }),
      );
      const judge = (isSandboxed: boolean) =>
        decideCommand({ command, cwd }, { rules, actions: DEFAULT_ACTIONS, isSandboxed }, { ...world, workspace: cwd });
      return judge(false).effect === "allow" && judge(true).effect !== "allow" ? [command] : [];
    });
    expect(friction).toEqual([]);
  });
});

interface EverydayCase {
  command: string;
  cwd?: string;
  allow_rules: string[][];
}

test("without a sandbox nothing is granted and a wish means nothing", async () => {
  const { decide, asked } = await gateWith({ isSandboxed: false, answer: { type: "once" } });
  expect(await decide("npm test", { network: true })).toEqual({ said: "allow by person" });
  expect(await decide("git status", { unsandboxed: true })).toEqual({ said: "allow by category" });
  expect(asked).toEqual([undefined]);
});
