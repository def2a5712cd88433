// The floor of an agent at work: asks, reads the streamed answer, reads the file or runs the command that was called for, sends the
// whole conversation with the result back, until no tool is called. It asks nobody, stores nothing and checks nothing.
import { readFileSync } from "node:fs";

interface Call {
  id: string;
  name: string;
  input: { path?: string; command?: string };
}

const messages: unknown[] = [{ role: "user", content: process.argv[3] }];
for (let calls = await ask(); calls.length > 0; calls = await ask()) {
  const results = await Promise.all(
    calls.map(async (call) => ({ type: "tool_result", tool_use_id: call.id, content: await run(call) })),
  );
  messages.push({ role: "user", content: results });
}

async function ask(): Promise<Call[]> {
  const response = await fetch(`${process.argv[2]}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "key" },
    body: JSON.stringify({ model: "m", max_tokens: 1024, stream: true, messages }),
  });
  const calls: Call[] = [];
  let input = "";
  for await (const event of eventsOf(response)) {
    if (event.content_block?.type === "tool_use") calls.push({ ...event.content_block });
    if (event.delta?.partial_json !== undefined) input += event.delta.partial_json;
    const last = calls.at(-1);
    if (event.type !== "content_block_stop" || last === undefined) continue;
    last.input = JSON.parse(input);
    input = "";
  }
  if (calls.length > 0)
    messages.push({ role: "assistant", content: calls.map((call) => ({ type: "tool_use", ...call })) });
  return calls;
}

async function* eventsOf(response: Response) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}

async function run({ input }: Call): Promise<string> {
  if (input.command === undefined) return readFileSync(input.path ?? "", "utf8");
  const child = Bun.spawn(["bash", "--norc", "--noprofile", "-c", input.command], { stderr: "pipe" });
  const [output, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return output + problems;
}
