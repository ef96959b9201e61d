/** `npm run pictures`: the main pages as `paydrop run --sandbox --desk` shows them, into samples/desk/. Needs chromium. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { launch } from "./chromium.ts";

const ROOT = join(import.meta.dirname, "../..");
const [WIDTH, COLORS] = [1200, 256];
const FOLDER = join(ROOT, "samples/desk");

const program = startProgram(["run", "--sandbox", "--desk", "--port", "0"]);
const browser = await launch();
try {
  await until("people are told", () => program.stdout().includes("meena"), { by: program.ended });
  const url = /http:[\d./:]+\d/.exec(program.stdout())?.[0] ?? "";

  const signedIn = async (name: string): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: WIDTH, height: 620 }, colorScheme: "light" });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel("Your name").fill(name);
    await page.getByLabel("Password").fill(new RegExp(`${name} .* (\\S+)\n`).exec(program.stdout())?.[1] ?? "");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "To do" }).waitFor();
    return page;
  };
  const take = async (page: Page, name: string, path?: string): Promise<void> => {
    if (path !== undefined) await page.goto(url + path);
    // who ran it on which machine is nobody's business, nor are its addresses
    const end = await page
      .getByRole("heading", { name: "History" })
      .boundingBox({ timeout: 100 })
      .catch(() => null);
    const height = Math.min(end?.y ?? Infinity, await page.evaluate<number>("document.documentElement.scrollHeight"));
    const shot = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height: height - 10 } });
    writeFileSync(join(FOLDER, `${name}.png`), withPalette(shot));
  };

  mkdirSync(FOLDER, { recursive: true });
  const asha = await signedIn("asha");
  await until("the samples were taken", async () => {
    await asha.goto(url);
    return (await asha.getByText("No clear answer").count()) > 0 && (await asha.getByText("File refused").count()) > 0;
  });
  await take(asha, "today", "/");
  await asha
    .getByRole("link", { name: /^vendors-/ })
    .first()
    .click();
  await take(asha, "batch");
  await asha.goto(`${url}/reconcile`);
  const statement = /: (\S+bank-statement\.csv)/.exec(program.stdout())?.[1] ?? "";
  await asha.getByLabel("The statement").setInputFiles(statement);
  await asha.getByLabel("The account that it is of").fill("ACC-OPS-01");
  await asha.getByRole("button", { name: "Compare it" }).click();
  await asha.getByRole("button", { name: "They came back" }).waitFor();
  await take(asha, "statement");
  await take(asha, "decide", "/decide");
  const ravi = await signedIn("ravi");
  await ravi.getByRole("link", { name: "Look at it" }).click();
  await ravi.getByRole("heading", { name: "Approve, or send back" }).waitFor();
  await take(ravi, "approvals");
  await asha.goto(`${url}/upload`);
  await asha.getByLabel("The file", { exact: true }).setInputFiles(join(ROOT, "samples/payroll.csv"));
  await asha.getByRole("button", { name: "Check it" }).click();
  await asha.getByRole("heading", { name: "What is wrong, cell by cell" }).waitFor();
  await take(asha, "upload");
} finally {
  await browser.close();
  program.child.kill("SIGINT");
  await program.ended;
}

/** The same picture in a third of the bytes: text has few colours, and shades of them at its edges. */
function withPalette(png: Buffer): Buffer {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const rgb = pixelsOf(png, width * 3 + 1);
  const counts = new Map<number, number>();
  const colorAt = (y: number, x: number): number => rgb.readUIntBE(y * (width * 3 + 1) + 1 + x * 3, 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) counts.set(colorAt(y, x), (counts.get(colorAt(y, x)) ?? 0) + 1);
  const palette = [...counts.keys()]
    .sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0))
    .slice(0, COLORS);
  const apart = (one: number, other: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  const nearest = new Map(
    Array.from(counts.keys(), (color) => {
      const [best = 0] = palette
        .map((one, at) => [apart(one, color), at] as const)
        .sort(([one], [other]) => one - other)
        .map(([, at]) => at);
      return [color, best];
    }),
  );
  const indices = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) indices[y * (width + 1) + 1 + x] = nearest.get(colorAt(y, x)) ?? 0;
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  const head = Buffer.from(png.subarray(16, 29));
  head[9] = 3;
  const parts = [
    chunk("IHDR", head),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(indices, { level: 9 })),
    chunk("IEND"),
  ];
  return Buffer.concat([png.subarray(0, 8), ...parts]);
}

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [data.length, crc32(body)].map((number) => Buffer.from(Uint32Array.of(number).buffer).swap32());
  return Buffer.concat([length ?? body, body, sum ?? body]);
}

/** Lines of a filter's number and RGB, as the browser writes them, without what the filters did. */
function pixelsOf(png: Buffer, stride: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const bytes = inflateSync(Buffer.concat(parts));
  bytes.forEach((byte, at) => {
    const x = at % stride;
    if (x === 0) return;
    const of = (isLeft: boolean, isUp: boolean): number =>
      (isLeft && x <= 3) || (isUp && at < stride) ? 0 : (bytes[at - (isLeft ? 3 : 0) - (isUp ? stride : 0)] ?? 0);
    const [left, up, corner] = [of(true, false), of(false, true), of(true, true)];
    const guess = left + up - corner;
    const [byLeft, byUp, byCorner] = [left, up, corner].map((one) => Math.abs(guess - one)) as [number, number, number];
    const paeth = byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
    bytes[at] = byte + ([0, left, up, (left + up) >> 1, paeth][bytes[at - x] ?? 0] ?? 0);
  });
  return bytes;
}
