import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { type FrontDoor, hostOf, openFrontDoor } from "../support/front-door.ts";

async function findingsOf(ralph: FrontDoor, environment: Record<string, string | undefined> = {}) {
  const { code, stdout, stderr } = await ralph.run(["doctor", "--json"], { environment });
  expect(stderr).toBe("");
  const { version, findings } = JSON.parse(stdout) as { version: string; findings: Finding[] };
  const of = (subject: string) => findings.filter((finding) => finding.subject === subject);
  return { code, version, findings, of };
}

describe("ralph doctor", () => {
  test("finds everything in order, knocks at the provider's door and sends nothing", async () => {
    using ralph = await openFrontDoor();
    const { code, findings, of } = await findingsOf(ralph);
    expect(code).toBe(0);
    expect(findings.filter(({ state }) => state === "failed")).toEqual([]);
    expect(of("configuration")).toEqual([
      { subject: "configuration", state: "ok", text: `${ralph.workspace.home}/config` },
    ]);
    expect(of("anthropic")).toEqual([
      {
        subject: "anthropic",
        state: "ok",
        text: expect.stringMatching(/^\d+ models, .* is reachable \(the key is not tried\)$/),
      },
    ]);
    expect(of("anthropic")[0]?.text).toContain(hostOf(ralph));
    expect(ralph.provider.requests).toEqual([]);
  });

  test("shows each finding on a line with its remedy below", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["doctor"], { environment: { ANTHROPIC_API_KEY: undefined } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✓ runtime: ralph \S+ on Bun \S+, \S+$/m);
    expect(stdout).toMatch(/^✗ models: no model can be used\n {4}Set a key such as ANTHROPIC_API_KEY/m);
  });

  test("says that nobody answers at a provider's address", async () => {
    using ralph = await openFrontDoor();
    const { code, of } = await findingsOf(ralph, { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" });
    expect([code, of("anthropic").map(({ state, text }) => [state, text.replace(/^\d+/, "N")])]).toEqual([
      0,
      [["warning", "N models, but 127.0.0.1:9 does not answer"]],
    ]);
  });

  test("tells what is wrong in models.yml and config.yml, and that others can read the keys", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels("providers:\n  own:\n    baseUlr: x\n");
    ralph.writeConfig("modle: x\n");
    chmodSync(`${ralph.workspace.home}/config/models.yml`, 0o644);
    const { code, of } = await findingsOf(ralph);
    expect(code).toBe(0);
    expect(new Set(of("models.yml").map(({ state }) => state))).toEqual(new Set(["warning"]));
    expect(of("models.yml")[0]?.text).toContain("baseUlr");
    expect(of("models.yml").at(-1)).toEqual({
      subject: "models.yml",
      state: "warning",
      text: `${ralph.workspace.home}/config/models.yml can be read by other users`,
      fix: `chmod 600 ${ralph.workspace.home}/config/models.yml`,
    });
    expect(of("settings").map(({ text }) => text)).toEqual([
      `${ralph.workspace.home}/config/config.yml:1: modle: there is no such setting (nearest: model)`,
    ]);
  });

  test("says that a folder cannot be written, and fails", async () => {
    using ralph = await openFrontDoor();
    const file = ralph.workspace.write("occupied", "");
    const { code, of } = await findingsOf(ralph, { RALPH_HOME: `${file}/below` });
    expect(code).toBe(1);
    expect([...of("configuration"), ...of("data")].map(({ state, text }) => [state, text])).toEqual([
      ["failed", `${file}/below/config cannot be written`],
      ["failed", `${file}/below/data cannot be written`],
    ]);
  });

  test("names programs that are missing", async () => {
    using ralph = await openFrontDoor();
    const { of } = await findingsOf(ralph, { PATH: ralph.workspace.project });
    expect(of("git")).toEqual([
      {
        subject: "git",
        state: "warning",
        text: "not found; it is needed to work in repositories",
        fix: "Install git.",
      },
    ]);
  });
});
