import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackOff } from "../../../src/permissions/gate/back-off.ts";
import { buildPolicy, type PolicySources } from "../../../src/permissions/gate/build-policy.ts";
import { createPermissionGate, type PersonAnswer } from "../../../src/permissions/gate/create-gate.ts";
import { readRememberedRules, rememberRule } from "../../../src/permissions/gate/remembered-rules.ts";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import type { AskCategory, Decision } from "../../../src/protocol/asks.ts";
import type { AskDraft } from "../../../src/protocol/tool-runs.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "ralph-gate-")));
const workspace = join(base, "project");
const home = join(base, "home");
mkdirSync(join(workspace, "src"), { recursive: true });
mkdirSync(join(base, "elsewhere"), { recursive: true });
mkdirSync(home);
writeFileSync(join(workspace, "src/a.ts"), "");
symlinkSync(join(base, "elsewhere"), join(workspace, "out"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Setup extends Partial<PolicySources> {
  yolo?: boolean;
  answers?: (PersonAnswer | undefined)[];
  clock?: { now: number };
}

async function gateWith({ yolo = false, answers = [], clock = { now: 0 }, ...sources }: Setup = {}) {
  const asked: unknown[] = [];
  const remembered: string[] = [];
  const { policy } = await buildPolicy({
    settings: {},
    allowed: [],
    allowedCategories: [],
    remembered: { allow: [], deny: [] },
    isSandboxed: false,
    ...sources,
  });
  const own = { config: join(home, "config"), data: join(home, "data") };
  const gate = createPermissionGate({
    policy,
    world: { workspace, home, classify: createPathClassifier({ home, own, now: () => 0 }) },
    yolo,
    backOff: createBackOff(() => clock.now),
    askPerson: async (ask) => {
      asked.push(ask.rules ?? []);
      return answers.shift();
    },
    remember: async (effect, rule) => void remembered.push(`${effect} ${rule}`),
    decided: () => {},
  });
  return { decide: (ask: AskDraft, tool = "tool") => gate.decide(ask, tool), asked, remembered };
}

function command(text: string, cwd = workspace): AskDraft {
  return { category: "shell", resources: [text], summary: text, cwd };
}

function ask(category: AskCategory, ...resources: string[]): AskDraft {
  return { category, resources, summary: resources.join(" ") };
}

const effectOf = ({ effect, tier }: Decision) => `${effect} by ${tier}`;

describe("without any rule", () => {
  const rows: [asked: AskDraft, decision: string][] = [
    [ask("file_read", join(workspace, "src/a.ts")), "allow by category"],
    [ask("file_read", join(workspace, "out/secret")), "deny by headless"],
    [ask("file_read", "/etc/hostname"), "deny by headless"],
    [ask("file_read", join(workspace, ".env")), "deny by protected"],
    [ask("file_write", join(workspace, "src/a.ts")), "deny by headless"],
    [ask("file_write", join(workspace, ".git/hooks/pre-commit")), "deny by protected"],
    [ask("network", "https://example.com/"), "deny by headless"],
    [ask("memory", "x"), "allow by category"],
    [command("git status && rg foo src | head -5"), "allow by category"],
    [command("npm test"), "deny by headless"],
    [command("rm -rf build"), "deny by headless"],
    [command("rm -rf /"), "deny by protected"],
    [command("sudo ls"), "deny by protected"],
    [command("cat .env"), "deny by protected"],
    [command("cat out/secret"), "deny by headless"],
    [command("echo $(whoami)"), "deny by headless"],
  ];
  test.each(rows)("%j: %s", async (asked, decision) => {
    const { decide } = await gateWith();
    expect(effectOf(await decide(asked))).toBe(decision);
  });
});

describe("--yolo", () => {
  test("answers asks with yes and lifts neither protection nor denies", async () => {
    const { decide } = await gateWith({ yolo: true, settings: { "permissions.deny": ["Bash(curl:*)"] } });
    const commands = ["rm -rf build", "echo $(whoami)", "cat .env", "env curl x", "rm -rf /"];
    const decisions = await Promise.all(commands.map(async (text) => (await decide(command(text))).effect));
    expect(decisions).toEqual(["allow", "allow", "deny", "deny", "deny"]);
  });
});

describe("rules", () => {
  test("deny wins over ask, ask over allow, whatever their order and however the command is wrapped", async () => {
    const { decide } = await gateWith({
      settings: {
        "permissions.allow": ["Bash", "Read(/etc/**)", "WebFetch(domain:*.example.com)"],
        "permissions.ask": ["Bash(git push:*)"],
        "permissions.deny": ["Bash(curl:*)", "Read(/etc/shadow)", "WebFetch(domain:bad.example.com)"],
      },
    });
    const asks: AskDraft[] = [
      command("anything at all | tee x"),
      command("git push origin main"),
      command("timeout 5 curl x"),
      ask("file_read", "/etc/hostname"),
      ask("file_read", "/etc/shadow"),
      command("cat /etc/shadow"),
      ask("network", "https://docs.example.com/x"),
      ask("network", "https://bad.example.com/x"),
      ask("network", "https://example.com.evil.test/x"),
    ];
    const effects = [];
    for (const one of asks) effects.push((await decide(one)).effect);
    expect(effects).toEqual(["allow", "deny", "deny", "allow", "deny", "deny", "allow", "deny", "deny"]);
  });

  test("for a whole command allow just that one, and for its first words what begins with them", async () => {
    const { decide } = await gateWith({ allowed: ["Bash(npm test)", "Bash(npm run:*)"] });
    const commands = [
      "npm test",
      "npm test -- --watch",
      "npm run build",
      "npm runx",
      "npm test && npm run lint",
      "npm run x; id -u",
    ];
    const effects = [];
    for (const text of commands) effects.push((await decide(command(text))).effect);
    expect(effects).toEqual(["allow", "deny", "allow", "deny", "allow", "allow"]);
  });

  test("let commands out of the workspace only by a grant of their own", async () => {
    const paths = await gateWith({ allowed: ["Bash(cat:*)", `Read(${base}/elsewhere/**)`] });
    const bash = await gateWith({ allowed: ["Bash(cat:*)", `Bash(${base}/elsewhere/**)`] });
    const outside = command(`cat ${base}/elsewhere/x`);
    expect([(await paths.decide(outside)).effect, (await bash.decide(outside)).effect]).toEqual(["deny", "allow"]);
  });

  test("of the older form name words for shell and an expression for other tools", async () => {
    const { decide } = await gateWith({
      settings: {
        "approval_gates.allowlist": [
          { tool: "shell", pattern: ["npm", "ci"] },
          { tool: "shell", command: ["make"] },
          { tool: "write_file", pattern: ".*\\.md" },
          { tool: "write_file" },
        ],
      },
    });
    const file = ask("file_write", join(workspace, "notes.md"));
    expect((await decide(command("npm ci && make all"), "shell")).effect).toBe("allow");
    expect([(await decide(file, "write_file")).effect, (await decide(file, "edit_file")).effect]).toEqual([
      "allow",
      "deny",
    ]);
  });

  test("that cannot be read, or fail their own examples, are left out and told; a lost deny is a gate that is not whole", async () => {
    const sources = { allowed: [], allowedCategories: [], remembered: { allow: [], deny: [] }, isSandboxed: false };
    const built = await buildPolicy({
      ...sources,
      settings: {
        "permissions.allow": [
          { rule: "Bash(git log:*)", match: ["git log -1"], not_match: ["git push"] },
          { rule: "Bash(git:*)", not_match: ["git push"] },
          "Bash(echo $(id))",
          "Rede(x)",
        ],
        "permissions.deny": [{ rule: "Bash(rm:*)", match: ["rmdir x"] }],
      },
    });
    expect([built.policy.rules.map(({ text }) => text), built.isWhole, built.problems]).toEqual([
      ["Bash(git log:*)"],
      false,
      [
        'Bash(rm:*) is not used: it does not match its example "rmdir x"',
        'Bash(git:*) is not used: it matches "git push", which it should not',
        '"Bash(echo $(id))" is no rule: the command in it must be plain words, with a star only at the end',
        '"Rede(x)" is no rule: rules begin with Read, Write, Edit, Bash, WebFetch, Mcp',
      ],
    ]);
  });
});

describe("categories", () => {
  test("decide what no rule speaks of, and a denied one is lifted by nothing", async () => {
    const categories = { network: "allow", file_write: "deny", shell: "gate" } as const;
    const { decide } = await gateWith({
      settings: { "approval_gates.categories": categories },
      allowedCategories: ["file_write"],
      yolo: true,
    });
    const effects = [
      (await decide(ask("network", "https://example.com"))).effect,
      (await decide(ask("file_write", join(workspace, "x")))).effect,
    ];
    expect(effects).toEqual(["allow", "deny"]);
    const asking = await gateWith({ settings: { "approval_gates.categories": categories } });
    expect((await asking.decide(command("git status"))).effect).toBe("deny");
  });
});

describe("a person", () => {
  test("is shown what would be kept, segment by segment, and is not asked again about it in this session", async () => {
    const gate = await gateWith({
      answers: [{ type: "session", rules: ["Bash(npm test:*)", "Bash(make build:*)"] }, { type: "no" }],
    });
    const compound = command("git status && npm test && make build");
    expect((await gate.decide(compound)).effect).toBe("allow");
    expect((await gate.decide(compound)).effect).toBe("allow");
    expect((await gate.decide(command("make install"))).effect).toBe("deny");
    expect(gate.asked).toEqual([["Bash(npm test:*)", "Bash(make build:*)"], ["Bash(make install:*)"]]);
    expect(gate.remembered).toEqual([]);
  });

  test("may answer for good, in both directions", async () => {
    const gate = await gateWith({
      answers: [
        { type: "always", rules: ["Write(src/*.ts)"] },
        { type: "never", rules: ["Bash(npm publish:*)"] },
      ],
    });
    const file = ask("file_write", join(workspace, "src/a.ts"));
    expect([(await gate.decide(file)).effect, (await gate.decide(file)).effect]).toEqual(["allow", "allow"]);
    expect((await gate.decide(command("npm publish"))).effect).toBe("deny");
    expect(effectOf(await gate.decide(command("npm publish --tag x")))).toBe("deny by deny-rule");
    expect(gate.remembered).toEqual(["allow Write(src/*.ts)", "deny Bash(npm publish:*)"]);
  });

  test("who says no again and again is not asked for a while", async () => {
    const clock = { now: 0 };
    const gate = await gateWith({ answers: Array.from({ length: 9 }, () => ({ type: "no" as const })), clock });
    const tiers = [];
    for (const now of [0, 1, 2, 3, 6_000, 7_000, 60_000]) {
      clock.now = now;
      tiers.push((await gate.decide(command("make x"), "shell")).tier);
    }
    expect(tiers).toEqual(["person", "person", "person", "back-off", "person", "back-off", "person"]);
  });

  test("cannot keep what would never be asked again, or would say more than was asked", async () => {
    const gate = await gateWith();
    for (const text of ["sed -i 10,20p x", "python3 run.py", "make a > out.txt", 'make "a b"', "rm -r build"])
      await gate.decide(command(text));
    expect(gate.asked).toEqual([[], ["Bash(python3 run.py)"], [], [], ["Bash(rm -r build)"]]);
  });
});

describe("answers for good", () => {
  test("are kept by workspace, two processes lose none, and a damaged file allows nothing", async () => {
    const path = join(base, "data/permissions.json");
    const rules = Array.from({ length: 10 }, (_, index) => `Bash(make ${index})`);
    const problems = await Promise.all(rules.map((rule) => rememberRule(path, { workspace, effect: "allow", rule })));
    expect(problems).toEqual(rules.map(() => undefined));
    expect(readRememberedRules(path, workspace).allow.toSorted()).toEqual(rules.toSorted());
    expect(readRememberedRules(path, "/elsewhere")).toEqual({ allow: [], deny: [] });
    writeFileSync(path, readFileSync(path, "utf8").slice(0, 40));
    expect(readRememberedRules(path, workspace)).toEqual({
      allow: [],
      deny: [],
      problem: expect.stringContaining(path),
    });
    expect(await rememberRule(path, { workspace, effect: "allow", rule: "Bash" })).toContain(path);
  });
});
