import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { yamlPositions } from "../../src/models/yaml-positions.ts";
import { guardModel } from "../../src/permissions/secrets/guard-model.ts";
import { createObfuscator, secretsKey } from "../../src/permissions/secrets/obfuscate.ts";
import { createEntrySeal, JOURNAL_KEY } from "../../src/permissions/secrets/seal-entries.ts";
import type { Secret } from "../../src/permissions/secrets/secret.ts";
import { findSecrets } from "../../src/permissions/secrets/secret-sources.ts";
import { veilEvents } from "../../src/permissions/secrets/veil-events.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { createLog } from "../../src/system/log.ts";
import { redactSecrets } from "../../src/system/redact.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { openTestCoder, saying } from "../support/open-test-coder.ts";
import { SAMPLE_KEYS, sampleKey } from "../support/sample-keys.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// Two hundred keys go through everything an agent does: prompts, files, addresses, headers, failing commands, arguments, summaries.

const KINDS = Object.keys(SAMPLE_KEYS);
const KEYS = Array.from({ length: 200 }, (_, index) => sampleKey(KINDS[index % KINDS.length] ?? "", index));
const IN_ENVIRONMENT = KEYS.slice(0, 80);
const LISTED = KEYS.slice(80, 190);
const BY_EXPRESSION = KEYS.slice(190).map((_, index) => `internal-${sampleKey("", 500 + index)}`);
const ALL = [...IN_ENVIRONMENT, ...LISTED, ...BY_EXPRESSION];

let workspace: TempWorkspace;
let provider: FakeProvider;
let secrets: Secret[];
beforeEach(async () => {
  workspace = tempWorkspace();
  provider = await startFakeProvider();
  const entries = LISTED.map((key) => `- {type: plain, content: ${JSON.stringify(key)}}`);
  workspace.write(
    "ralph-home/config/secrets.yml",
    `${entries.join("\n")}\n- {type: regex, content: "internal-[A-Za-z0-9]{32}"}\n`,
  );
  const found = await findSecrets({
    environment: Object.fromEntries(IN_ENVIRONMENT.map((key, index) => [`SERVICE_${index}_KEY`, key])),
    config: `${workspace.home}/config`,
    lineOf: (text, entry) => yamlPositions(text).find([entry]).line,
    now: () => performance.now(),
  });
  expect(found.problems).toEqual([]);
  secrets = found.secrets;
});
afterEach(() => {
  provider.stop();
  workspace.stop();
});

function obfuscator(key: string) {
  return createObfuscator(secrets, { key, now: () => performance.now() });
}

function openCoder(resume?: string) {
  return openTestCoder({
    workspace,
    provider,
    yolo: true,
    seal: createEntrySeal(obfuscator(JOURNAL_KEY)),
    guard: (model, session) => guardModel(model, obfuscator(secretsKey(session.header.id))),
    systemPrompt: `You are tested. Token: ${KEYS[1]}`,
    tail: () => `Header: Bearer ${KEYS[2]}`,
    ...(resume === undefined ? {} : { resume }),
  });
}

/** The keys that stand in a text, as they are or in another writing. */
function leaked(text: string): string[] {
  return ALL.filter((key) =>
    [key, encodeURIComponent(key), Buffer.from(key).toString("base64").replace(/=+$/, "")].some((form) =>
      text.includes(form),
    ),
  );
}

function asMaterial(keys: string[], base: number): string {
  const forms = [
    (key: string) => `KEY=${key}`,
    (key: string) => `Authorization: Bearer ${key}`,
    (key: string) => `https://name:${encodeURIComponent(key)}@host.test/?token=${encodeURIComponent(key)}`,
    (key: string) => `Error: refused ${key}\n    at connect (file:///app.js?key=${key}:1:2)`,
    (key: string) => JSON.stringify({ nested: { value: key } }),
    // An expression only finds what it was written for.
    (key: string) => (BY_EXPRESSION.includes(key) ? key : Buffer.from(key).toString("base64")),
  ];
  return keys.map((key, index) => forms[(index + base) % forms.length]?.(key)).join("\n");
}

async function runOnce(coder: Awaited<ReturnType<typeof openCoder>>, text: string): Promise<void> {
  expect((await coder.call("prompt", { message: saying(text) })).ok).toBe(true);
  await coder.idle();
}

describe("two hundred keys", () => {
  test("are in no request, no session file, no event for programs and no log, while tools and people have them", async () => {
    workspace.write("project/material.txt", asMaterial(KEYS.slice(0, 190), 1));
    workspace.write("project/more.txt", asMaterial(BY_EXPRESSION, 0));
    const shown: AgentEvent[] = [];
    const path = await (async () => {
      await using coder = await openCoder();
      coder.subscribe(veilEvents(obfuscator("events"), (event) => shown.push(event)));
      provider.answer(
        toolCallAnswer({ name: "read_file", input: { path: "material.txt" } }),
        toolCallAnswer({
          name: "shell",
          input: { command: "cat material.txt more.txt; cat material.txt >&2; exit 3" },
        }),
        // The model uses what it was shown: the file it writes has the real key.
        (request) => {
          const placeholder = /KEY=(#[A-Z0-9]{4}#)/.exec(JSON.stringify(request.body))?.[1] ?? "none";
          return toolCallAnswer({ name: "write_file", input: { path: "used.txt", content: `used ${placeholder}` } });
        },
        (request) =>
          textAnswer(`it was ${/KEY=(#[A-Z0-9]{4}#)/.exec(JSON.stringify(request.body))?.[1]}`, {
            chunking: { bytes: 3 },
          }),
      );
      await runOnce(coder, `use ${KEYS[0]} and ${asMaterial(ALL, 3)}`);
      const used = workspace.read("project/used.txt").replace("used ", "");
      expect(ALL).toContain(used);
      const last = coder.events.findLast((event) => event.type === "message-end");
      expect(last).toMatchObject({ message: { content: [{ type: "text", text: `it was ${used}` }] } });
      expect(leaked(JSON.stringify(coder.events))).toEqual(ALL);
      return coder.session.path ?? "";
    })();
    expect(provider.requests).toHaveLength(4);
    expect(
      leaked(JSON.stringify(provider.requests.map(({ body, headers, path: way }) => [body, headers, way]))),
    ).toEqual([]);
    // Long texts of entries are kept beside the file; copies of files for undo are there too, and must be exact.
    const referred = [...readFileSync(path, "utf8").matchAll(/"blob":"([0-9a-f]{64})","bytes"/g)].map(
      ([, blob]) => blob,
    );
    const beside = workspace
      .find("ralph-home/data/blobs/**")
      .filter((name) => referred.some((blob) => name.endsWith(blob ?? "?")));
    expect(
      leaked(
        [path, ...beside.map((name) => `${workspace.root}/${name}`)].map((file) => readFileSync(file, "utf8")).join(""),
      ),
    ).toEqual([]);
    expect(leaked(JSON.stringify(shown))).toEqual([]);
    expect(shown.length).toBeGreaterThan(20);
  });

  test("come back when the session is resumed, and the bytes that were sent stay the same", async () => {
    const path = await (async () => {
      await using coder = await openCoder();
      await runOnce(coder, asMaterial(KEYS.slice(0, 190), 0));
      return coder.session.path ?? "";
    })();
    await using coder = await openCoder(path);
    await runOnce(coder, "go on");
    const [first, second] = provider.requests.map(({ body }) =>
      JSON.stringify((body as { messages: { content: { text: string }[] }[] }).messages[0]?.content[0]?.text),
    );
    expect(second).toBe(first as string);
    const messages = await coder.call("get_messages", {});
    expect(leaked(JSON.stringify(messages))).toEqual(KEYS.slice(0, 190));
  });

  test("are in no summary request, and what the summary says of them is real again", async () => {
    await using coder = await openCoder();
    for (const part of [0, 1, 2]) await runOnce(coder, `${asMaterial(ALL, part)}\n${"word ".repeat(4000)}`);
    provider.answer((request) =>
      textAnswer(
        `the key is ${/KEY=(#[A-Z0-9]{4}#)/.exec(JSON.stringify(request.body))?.[1]}. ${"It was used. ".repeat(40)}`,
      ),
    );
    await coder.call("compact", {});
    await coder.idle();
    expect(provider.requests.length).toBeGreaterThan(3);
    expect(leaked(JSON.stringify(provider.requests.map(({ body }) => body)))).toEqual([]);
    expect(leaked(readFileSync(coder.session.path ?? "", "utf8"))).toEqual([]);
  });

  test("are in no log", async () => {
    const directory = `${workspace.root}/logs`;
    const known = secrets.flatMap((secret) => (secret.type === "plain" ? [secret.content] : []));
    const log = createLog({
      directory,
      name: "t",
      maxBytes: 10_000_000,
      maxFiles: 2,
      redact: (text) => redactSecrets(text, known),
    });
    for (const base of [0, 1, 2, 3, 4, 5])
      log.error(asMaterial(KEYS.slice(0, 190), base), { error: new Error(asMaterial(KEYS.slice(0, 190), base)) });
    await log.flush();
    expect(leaked(readFileSync(`${directory}/t.log`, "utf8"))).toEqual([]);
  });
});
