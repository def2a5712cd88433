import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type McpServer, methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { type AcpEditor, type AcpEditorOptions, openAcpEditor, textOf } from "../support/acp-editor.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";

const { agent } = methods;
const LIMIT_MS = 30_000;
const FILES = { fs: { readTextFile: true, writeTextFile: true } };

let ralph: FrontDoor;

beforeEach(async () => {
  ralph = await openFrontDoor();
});
afterEach(() => ralph[Symbol.dispose]());

const open = (options?: AcpEditorOptions) => openAcpEditor(ralph, options);
const project = () => ralph.workspace.project;
const place = (name: string) => join(project(), name);

async function newSession(editor: AcpEditor, cwd = project()): Promise<string> {
  return (await editor.agent.request(agent.session.new, { cwd, mcpServers: [] })).sessionId;
}

function prompt(editor: AcpEditor, sessionId: string, text: string) {
  return editor.agent.request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
}

const shell = (command: string) => toolCallAnswer({ name: "shell", input: { command } });
const isCall = (update: SessionUpdate) => update.sessionUpdate.startsWith("tool_call");

describe("ralph acp", () => {
  test(
    "introduces itself, whatever version the editor wants, and says what it can do",
    async () => {
      await using editor = await open();
      const wanted = [0, 1, 65_535].map((protocolVersion) =>
        editor.agent.request(agent.initialize, { protocolVersion }),
      );
      const answers = await Promise.all(wanted);
      expect(answers.map(({ agentInfo, ...answer }) => ({ ...answer, name: agentInfo?.name }))).toEqual(
        answers.map(() => ({
          protocolVersion: 1,
          name: "ralph",
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, audio: false, embeddedContext: true },
            mcpCapabilities: { http: false, sse: false },
            sessionCapabilities: { list: {}, resume: {}, close: {} },
          },
          authMethods: [],
        })),
      );
      const refused = await editor.agent.request(agent.authenticate, { methodId: "login" }).catch(String);
      expect(refused).toContain("ANTHROPIC_API_KEY");
      expect(await editor.leave()).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    "without a key a session is refused as one that needs authentication, with what to do",
    async () => {
      await using editor = await open({ environment: { ANTHROPIC_API_KEY: undefined } });
      const refused = await editor.agent
        .request(agent.session.new, { cwd: project(), mcpServers: [] })
        .catch((error) => ({ code: error.code, message: error.message }));
      expect(refused).toEqual({ code: -32_000, message: expect.stringContaining("API_KEY") });
    },
    LIMIT_MS,
  );

  test(
    "streams thoughts and words, and tells of a call from its beginning to its end, asked about and allowed",
    async () => {
      await using editor = await open({ permit: () => "allow_once" });
      const sessionId = await newSession(editor);
      const call = shell("printf hello > made.txt && cat made.txt");
      ralph.provider.answer(
        {
          ...call,
          parts: [
            { type: "thinking", text: "hm", signature: "s" },
            { type: "text", deltas: ["I ", "run."] },
            ...call.parts,
          ],
        },
        textAnswer("It is made."),
      );
      expect(await prompt(editor, sessionId, "make it")).toEqual({ stopReason: "end_turn" });
      expect(readFileSync(place("made.txt"), "utf8")).toBe("hello");
      expect(textOf(editor.updates, "agent_thought_chunk")).toBe("hm");
      expect(textOf(editor.updates, "agent_message_chunk")).toBe("I run.It is made.");
      const calls = editor.updates.map(({ update }) => update).filter(isCall);
      expect(calls[0]).toEqual({
        sessionUpdate: "tool_call",
        toolCallId: "call_1",
        name: "shell",
        title: "Run `printf hello > made.txt && cat made.txt`",
        kind: "execute",
        status: "pending",
        content: [],
        locations: [],
        rawInput: { command: "printf hello > made.txt && cat made.txt" },
      });
      const states = calls.flatMap((update) => ("status" in update && update.status ? [update.status] : []));
      expect(states).toEqual(["pending", "in_progress", "completed"]);
      expect(calls.at(-1)).toMatchObject({ rawOutput: { content: [{ type: "text" }] } });
      const [asked] = editor.permissions;
      expect({ ...asked, toolCall: asked?.toolCall.toolCallId }).toEqual({
        sessionId,
        toolCall: "call_1",
        options: [
          { optionId: "yes", kind: "allow_once", name: "Yes" },
          { optionId: "no", kind: "reject_once", name: "No" },
        ],
      });
      expect(JSON.stringify(asked?.toolCall.content)).toContain("printf hello > made.txt && cat made.txt");
      expect(editor.stderr()).toBe("");
    },
    LIMIT_MS,
  );

  test(
    "a permission that is refused or cancelled is a no; one given for good is not asked for again",
    async () => {
      const answers = ["reject_once", "cancelled", "session"];
      await using editor = await open({ permit: () => answers.shift() ?? "cancelled" });
      const sessionId = await newSession(editor);
      const touches = ["one", "two", "three", "three"].map((name) => shell(`touch kept-${name}`));
      ralph.provider.answer(...touches, textAnswer("done"));
      expect(await prompt(editor, sessionId, "touch")).toEqual({ stopReason: "end_turn" });
      expect(ralph.workspace.find("project/kept-*")).toEqual(["project/kept-three"]);
      expect(editor.permissions.length).toBe(3);
      const ids = editor.updates.flatMap(({ update }) =>
        update.sessionUpdate === "tool_call" ? [update.toolCallId] : [],
      );
      expect(ids).toEqual(["call_1", "call_1#2", "call_1#3", "call_1#4"]);
    },
    LIMIT_MS,
  );

  test(
    "reads and edits what stands in the editor, saved or not; undo brings back what the person typed",
    async () => {
      writeFileSync(place("note.txt"), "one\r\ntwo\r\n");
      await using editor = await open({ capabilities: FILES, permit: () => "allow_once" });
      editor.buffers.set(place("note.txt"), "one\ntwo\ntyped\n");
      const sessionId = await newSession(editor);
      ralph.provider.answer(
        toolCallAnswer({ name: "read_file", input: { path: "note.txt" } }),
        toolCallAnswer({ name: "edit_file", input: { path: "note.txt", old_string: "typed", new_string: "changed" } }),
        toolCallAnswer({ name: "write_file", input: { path: "new/file.txt", content: "fresh\n" } }),
        textAnswer("done"),
      );
      expect(await prompt(editor, sessionId, "edit it")).toEqual({ stopReason: "end_turn" });
      expect(editor.buffers.get(place("note.txt"))).toBe("one\ntwo\nchanged\n");
      expect(readFileSync(place("note.txt"), "utf8")).toBe("one\r\ntwo\r\nchanged\r\n");
      expect(readFileSync(place("new/file.txt"), "utf8")).toBe("fresh\n");
      expect(editor.fileCalls.filter((call) => call.startsWith("write"))).toEqual([
        `write ${place("note.txt")}`,
        `write ${place("note.txt")}`,
        `write ${place("new/file.txt")}`,
      ]);
      const read = JSON.stringify(ralph.provider.requests.at(-1)?.body);
      expect(read).toContain("typed");
      const diffs = editor.updates.flatMap(({ update }) =>
        update.sessionUpdate === "tool_call_update" && update.status === "completed"
          ? (update.content ?? []).filter(({ type }) => type === "diff")
          : [],
      );
      expect(diffs).toEqual([
        { type: "diff", path: place("note.txt"), oldText: "typed", newText: "changed" },
        { type: "diff", path: place("new/file.txt"), newText: "fresh\n" },
      ]);
      expect(await editor.leave()).toBe(0);
      const undone = await ralph.run(["undo", "--resume", sessionId, "--yes"]);
      expect(undone.code).toBe(0);
      expect(readFileSync(place("note.txt"), "utf8")).toBe("one\r\ntwo\r\ntyped\r\n");
    },
    LIMIT_MS,
  );

  test(
    "tells of the plan, of modes the person and the model choose, and of a model that is chosen",
    async () => {
      await using editor = await open({ permit: () => "cancelled" });
      const sessionId = await newSession(editor);
      await editor.agent.request(agent.session.setMode, { sessionId, modeId: "explore" });
      const plan = [
        { step: "look", status: "completed" },
        { step: "write", status: "pending" },
      ];
      ralph.provider.answer(
        toolCallAnswer({ name: "update_plan", input: { plan } }),
        toolCallAnswer({ name: "switch_mode", input: { mode: "default" } }),
        toolCallAnswer({ name: "switch_mode", input: { mode: "plan" } }),
        textAnswer("planned"),
      );
      expect(await prompt(editor, sessionId, "plan")).toEqual({ stopReason: "end_turn" });
      const told = editor.updates.map(({ update }) => update);
      expect(told.filter(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual([
        {
          sessionUpdate: "plan",
          entries: [
            { content: "look", priority: "medium", status: "completed" },
            { content: "write", priority: "medium", status: "pending" },
          ],
        },
      ]);
      const order = told.map(({ sessionUpdate }) => sessionUpdate);
      expect(order.indexOf("plan")).toBeLessThan(order.indexOf("agent_message_chunk"));
      const modes = told.filter(({ sessionUpdate }) => sessionUpdate === "current_mode_update");
      expect(modes.map((update) => ("currentModeId" in update ? update.currentModeId : ""))).toEqual([
        "explore",
        "plan",
      ]);
      // Leaving a mode the person chose is a question of its own.
      expect(editor.permissions.map(({ options }) => options.map(({ name }) => name))).toEqual([
        ["yes", "no", "No answer"],
      ]);
      const unknown = await editor.agent.request(agent.session.setMode, { sessionId, modeId: "fly" }).catch(String);
      expect(unknown).toContain('There is no mode "fly"');
      const { configOptions } = await editor.agent.request(agent.session.setConfigOption, {
        sessionId,
        configId: "model",
        value: "scripted/demo",
      });
      expect(configOptions.map(({ id, currentValue }) => [id, currentValue])).toEqual([
        ["mode", "plan"],
        ["model", "scripted/demo"],
        ["effort", "medium"],
      ]);
    },
    LIMIT_MS,
  );

  test(
    "a prompt is cancelled while the model answers and while a person is asked; the session goes on",
    async () => {
      const asked = Promise.withResolvers<void>();
      const never = new Promise<string>(() => undefined);
      await using editor = await open({
        permit: () => {
          asked.resolve();
          return never;
        },
      });
      const sessionId = await newSession(editor);
      const gate = Promise.withResolvers<void>();
      ralph.provider.answer(
        textAnswer("first second third", { fault: { type: "hold", afterEvents: 4, until: gate.promise } }),
        shell("touch cancelled"),
        textAnswer("again"),
      );
      const first = prompt(editor, sessionId, "talk");
      await editor.update((update) => update.sessionUpdate === "agent_message_chunk");
      const busy = await prompt(editor, sessionId, "meanwhile").catch((error) => error.code);
      expect(busy).toBe(-32_600);
      await editor.agent.notify(agent.session.cancel, { sessionId });
      // The next one may come at once.
      const second = prompt(editor, sessionId, "touch");
      expect(await first).toEqual({ stopReason: "cancelled" });
      gate.resolve();
      await asked.promise;
      await editor.agent.notify(agent.session.cancel, { sessionId });
      expect(await second).toEqual({ stopReason: "cancelled" });
      expect(ralph.workspace.find("project/cancelled")).toEqual([]);
      expect(await prompt(editor, sessionId, "go on")).toEqual({ stopReason: "end_turn" });
    },
    LIMIT_MS,
  );

  test(
    "a session is loaded in another process after kill -9, with everything that was said",
    async () => {
      await using editor = await open({ permit: () => "allow_once" });
      const sessionId = await newSession(editor);
      ralph.provider.answer(shell("echo kept"), textAnswer("The first answer."));
      await prompt(editor, sessionId, "the first question");
      const gate = Promise.withResolvers<void>();
      ralph.provider.answer(
        textAnswer("never heard", { fault: { type: "hold", afterEvents: 1, until: gate.promise } }),
      );
      prompt(editor, sessionId, "the second question").catch(() => undefined);
      for (let request = 0; request < 3; request++) await ralph.provider.nextRequest();
      await editor.kill();
      gate.resolve();

      await using other = await open();
      const { sessions } = await other.agent.request(agent.session.list, { cwd: project() });
      expect(sessions.find((row) => row.sessionId === sessionId)).toEqual({
        sessionId,
        cwd: project(),
        title: "the first question",
        updatedAt: expect.any(String),
      });
      const loaded = await other.agent.request(agent.session.load, { sessionId, cwd: project(), mcpServers: [] });
      expect(loaded.modes?.currentModeId).toBe("default");
      expect(textOf(other.updates, "user_message_chunk")).toBe("the first questionthe second question");
      expect(textOf(other.updates, "agent_message_chunk")).toBe("The first answer.");
      const calls = other.updates.map(({ update }) => update).filter(isCall);
      expect(calls.map((update) => ("status" in update ? update.status : undefined))).toEqual(["pending", "completed"]);
      ralph.provider.answer(textAnswer("on we go"));
      expect(await prompt(other, sessionId, "and now?")).toEqual({ stopReason: "end_turn" });
      const sent = JSON.stringify(ralph.provider.requests.at(-1)?.body);
      expect(["the first question", "The first answer.", "and now?"].map((words) => sent.includes(words))).toEqual([
        true,
        true,
        true,
      ]);
      const missing = await other.agent
        .request(agent.session.resume, { sessionId: "nosuchsession", cwd: project() })
        .catch((error) => error.code);
      expect(missing).toBe(-32_002);
    },
    LIMIT_MS,
  );

  test(
    "several sessions work beside each other, each in its own folder",
    async () => {
      ralph.workspace.write("other/.keep", "");
      const other = join(ralph.workspace.root, "other");
      await using editor = await open({ permit: () => "allow_once" });
      const [here, there] = [await newSession(editor), await newSession(editor, other)];
      const gate = Promise.withResolvers<void>();
      ralph.provider.answer(
        textAnswer("slow answer", { fault: { type: "hold", afterEvents: 2, until: gate.promise } }),
        shell("pwd > where"),
        textAnswer("quick answer"),
      );
      const slow = prompt(editor, here, "slowly");
      await ralph.provider.nextRequest();
      expect(await prompt(editor, there, "quickly")).toEqual({ stopReason: "end_turn" });
      expect(ralph.workspace.read("other/where")).toBe(`${other}\n`);
      gate.resolve();
      expect(await slow).toEqual({ stopReason: "end_turn" });
      const said = (id: string) =>
        textOf(
          editor.updates.filter(({ sessionId }) => sessionId === id),
          "agent_message_chunk",
        );
      expect([said(here), said(there)]).toEqual(["slow answer", "quick answer"]);
      await editor.agent.request(agent.session.close, { sessionId: there });
      expect(await prompt(editor, there, "still?").catch((error) => error.code)).toBe(-32_002);
    },
    LIMIT_MS,
  );

  test(
    "questions of the model are forms where the editor has them; commands of the person are offered and expanded",
    async () => {
      ralph.workspace.write("ralph-home/config/commands/greet.md", "Greet $ARGUMENTS kindly.");
      await using editor = await open({
        capabilities: { elicitation: { form: {} } },
        elicit: () => ({ action: "accept", content: { answer: "blue" } }),
      });
      const sessionId = await newSession(editor);
      const commands = await editor.update(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
      expect(commands).toMatchObject({ availableCommands: [{ name: "compact" }, { name: "greet" }] });
      ralph.provider.answer(
        toolCallAnswer({ name: "ask_user", input: { question: "Which colour?", options: ["red", "blue"] } }),
        textAnswer("blue it is"),
      );
      expect(await prompt(editor, sessionId, "/greet the world")).toEqual({ stopReason: "end_turn" });
      expect(editor.elicitations).toEqual([
        {
          mode: "form",
          sessionId,
          message: "Which colour?",
          requestedSchema: {
            type: "object",
            properties: { answer: { type: "string", title: "Answer", enum: ["red", "blue"] } },
            required: ["answer"],
          },
        },
      ]);
      const sent = JSON.stringify(ralph.provider.requests.at(-1)?.body);
      expect(["Greet the world kindly.", "blue"].map((words) => sent.includes(words))).toEqual([true, true]);
      const asked = ralph.provider.requests.length;
      expect(await prompt(editor, sessionId, "/compact")).toEqual({ stopReason: "end_turn" });
      expect(textOf(editor.updates, "agent_message_chunk")).toMatch(/^blue it is./);
      expect(ralph.provider.requests.length).toBe(asked);
    },
    LIMIT_MS,
  );

  test(
    "is there as a mode too, as older command lines have it",
    async () => {
      await using editor = await open({ words: ["--mode", "acp"] });
      const { protocolVersion } = await editor.agent.request(agent.initialize, { protocolVersion: 1 });
      expect([protocolVersion, await editor.leave()]).toEqual([1, 0]);
    },
    LIMIT_MS,
  );

  test(
    "what is no message, no method or no folder is refused by its code, and the connection goes on",
    async () => {
      await using editor = await open();
      const code = (request: Promise<unknown>) => request.then(() => 0).catch((error) => error.code);
      editor.writeLine("{broken");
      editor.writeLine("[]");
      editor.writeLine("7");
      expect([
        await code(editor.agent.request("session/fly", {})),
        await code(editor.agent.request(agent.session.new, { cwd: "relative", mcpServers: [] })),
        await code(editor.agent.request(agent.session.new, { cwd: place("nowhere"), mcpServers: [] })),
        await code(editor.agent.request("session/new", { cwd: 3 })),
        await code(editor.agent.request(agent.session.prompt, { sessionId: "none", prompt: [] })),
      ]).toEqual([-32_601, -32_602, -32_602, -32_602, -32_002]);
      const servers: McpServer[] = [{ name: "files", command: "x", args: [], env: [] }];
      const { sessionId } = await editor.agent.request(agent.session.new, { cwd: project(), mcpServers: servers });
      await editor.update((update) => JSON.stringify(update).includes("MCP servers (files)"));
      expect(await code(prompt(editor, sessionId, "  "))).toBe(-32_602);
      expect(await editor.leave()).toBe(0);
    },
    LIMIT_MS,
  );
});
