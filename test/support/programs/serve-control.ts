import { serveControl } from "../../../src/loop/control/serve-control.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { fakeLoop } from "../loop-controls.ts";

// Serves a control socket until it is killed or asked to stop: DIRECTORY NAME. Each wish is printed; `stop` ends it in order.

const [directory = "", name = ""] = process.argv.slice(2);
const loop = fakeLoop({ taskName: name });
const result = await serveControl({ directory, name, controls: loop.controls, clock: systemClock });
if (!result.ok) {
  console.log(JSON.stringify(result));
  process.exit(1);
}
const { server } = result;
const { stop, inject } = loop.controls;
loop.controls.stop = async () => {
  setImmediate(async () => {
    loop.status.status = "stopped";
    server.stateChanged();
    await server.stop();
    process.exit(0);
  });
  return stop();
};
loop.controls.inject = async (prompt) => {
  server.output(`told: ${prompt}`);
  return inject(prompt);
};
console.log(JSON.stringify({ ok: true, path: server.path }));
