// Takes the picture of an exported session for the documentation: docs/images/export.png. Needs Chromium.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportHtml } from "../src/sessions/export/page.ts";
import { startChromium } from "../test/support/chromium.ts";
import { sampleEntries, sampleHeader } from "../test/support/export-sample.ts";

const target = process.argv[2] ?? "docs/images/export.png";
const colors = process.argv[3] === "dark" ? "dark" : "light";
const folder = mkdtempSync(join(tmpdir(), "ralph-screenshot-"));
try {
  const file = join(folder, "session.html");
  await Bun.write(file, exportHtml({ header: sampleHeader, entries: sampleEntries() }).html);
  await using chromium = await startChromium();
  const page = await chromium.open(`file://${file}`, { width: 1280, height: 1180, colors });
  await page.evaluate(
    "[...document.querySelectorAll('details.call')].find((one) => one.innerText.includes('edit_file')).open = true",
  );
  await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
  const picture = await page.screenshot();
  await Bun.write(target, picture);
  console.log(`${target}: ${Math.round(picture.length / 1000)} KB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
