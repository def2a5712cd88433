import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { PROVIDER_PRESETS } from "../../src/models/provider-presets.ts";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";

describe("ralph setup provider", () => {
  test("writes a provider that can be used at once and holds no key", async () => {
    using ralph = await openFrontDoor();
    const path = `${ralph.workspace.home}/config/models.yml`;
    expect(outcomeOf(await ralph.run(["setup", "provider", "--preset", "glm"]))).toEqual({
      code: 0,
      stdout: `Provider glm-proxy is in ${path}. Set ZAI_API_KEY to your key, then try: ralph -p --model glm-proxy/glm-5.3 hello\n`,
      stderr: "",
    });
    const written = ralph.workspace.read("ralph-home/config/models.yml");
    expect(Bun.YAML.parse(written)).toEqual({
      providers: {
        "glm-proxy": JSON.parse(JSON.stringify(PROVIDER_PRESETS.find(({ name }) => name === "glm")?.entry)),
      },
    });
    ralph.writeModels(written.replace("https://api.z.ai/api/paas/v4", `${ralph.provider.origin}/v4`));
    const environment = { ZAI_API_KEY: "key-zai-0123456789" };
    const asked = await ralph.run(["-p", "--model", "glm-proxy/glm-5.3", "hello"], { environment });
    expect(outcomeOf(asked)).toEqual({ code: 0, stdout: "ok\n", stderr: "" });
    const [request] = ralph.provider.requests;
    expect([request?.path, request?.headers.authorization]).toEqual([
      "/v4/chat/completions",
      "Bearer key-zai-0123456789",
    ]);
  });

  test("keeps what stands in models.yml, comments and mode included", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels("# mine\nproviders:\n  own: # here\n    baseUrl: http://127.0.0.1:9\n");
    for (const { name } of PROVIDER_PRESETS) {
      expect((await ralph.run(["setup", "provider", "--preset", name])).code).toBe(0);
    }
    const text = ralph.workspace.read("ralph-home/config/models.yml");
    expect(text).toContain("# mine\n");
    expect(text).toContain("own: # here\n");
    const { providers } = Bun.YAML.parse(text) as { providers: Record<string, unknown> };
    expect(Object.keys(providers).sort()).toEqual(["own", ...PROVIDER_PRESETS.map(({ provider }) => provider)].sort());
    expect(statSync(`${ralph.workspace.home}/config/models.yml`).isFile()).toBe(true);
  });

  test("touches nothing where models.yml is broken", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels("providers: [");
    const { code, stderr } = await ralph.run(["setup", "provider", "--preset", "glm"]);
    expect(code).toBe(1);
    expect(stderr).toContain("could not be changed safely");
    expect(ralph.workspace.read("ralph-home/config/models.yml")).toBe("providers: [");
  });

  test("with a preset that does not exist, or none, names those there are", async () => {
    using ralph = await openFrontDoor();
    const runs = [["setup", "provider", "--preset", "glmm"], ["setup", "provider"], ["setup"]].map((args) =>
      ralph.run(args),
    );
    const usage = "Use: ralph setup provider --preset minimax|minimax-cn|glm\n";
    expect((await Promise.all(runs)).map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, `ralph: There is no preset "glmm"; did you mean glm? ${usage}`],
      [2, `ralph: ${usage}`],
      [2, `ralph: ${usage}`],
    ]);
  });
});
