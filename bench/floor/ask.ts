// The floor: what any program must at least do to ask a model and print its streamed answer.
const response = await fetch(`${process.argv[2]}/v1/messages`, {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": "key" },
  body: JSON.stringify({
    model: "m",
    max_tokens: 1024,
    stream: true,
    messages: [{ role: "user", content: process.argv[3] }],
  }),
});
const decoder = new TextDecoder();
let rest = "";
for await (const bytes of response.body ?? []) {
  const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  let text = "";
  for (const line of lines) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    if (event.type === "content_block_delta") text += event.delta.text;
  }
  process.stdout.write(text);
}

export {};
