import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createOpener } from "../../src/client/envelope.ts";
import { createClient } from "../../src/index.ts";
import { AES_IV, AES_KEY, API_KEY, openDesk } from "../support/desk.ts";
import type { FaultServer, Received } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

/** Plain decimal text above zero, at most 15 digits, of which two after the point; with every zero that may stand there. */
const amount = fc
  .tuple(fc.stringMatching(/^(?:0|[1-9][0-9]{0,12})$/), fc.stringMatching(/^(?:\.[0-9]{1,2})?$/))
  .map(([whole, decimals]) => whole + decimals)
  .filter((text) => /[1-9]/.test(text));

async function openServer(): Promise<FaultServer> {
  const server = await startService();
  return server;
}

/** The very characters of the amount in the body, as the service sees them. */
function sentAmount({ body, path }: Received): string | undefined {
  const plain = path.includes("payouts") ? opened(body) : body;
  return /"amount":([^,}]*)[,}]/.exec(plain)?.[1];
}

function opened(body: string): string {
  const hex = (JSON.parse(body) as { body: string }).body;
  return createOpener({ key: Buffer.from(AES_KEY, "hex"), iv: Buffer.from(AES_IV, "hex") })(hex) ?? "";
}

test("any amount given to the client reaches the service digit by digit, plain and encrypted", async () => {
  const server = await openServer();
  const client = createClient({ baseUrl: server.url, apiKey: API_KEY, aesKey: AES_KEY, aesIv: AES_IV });
  onTestFinished(() => client.close());
  const payee = { debit_account_id: "A", bene_id: "B", bene_bank_id: 1, payment_mode: "NEFT" };
  const property = fc.asyncProperty(amount, async (text) => {
    const before = server.requests.length;
    await client.transfer({ from_account: "A", to_account: "B", amount: text });
    await client.collect({ vpa: "a@b", amount: text });
    await client.applyForLoan({ borrower_id: "B", amount: text, tenure: 12 });
    await client.payout({ ...payee, amount: text });
    expect(server.requests.slice(before).map(sentAmount)).toEqual([text, text, text, text]);
  });
  await fc.assert(property, { numRuns: 50 });
});

test("any amounts of a file reach the service digit by digit, and their sum is exact", async () => {
  const server = await openServer();
  const desk = openDesk(server.url);
  let files = 0;
  const property = fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 40 }), async (amounts) => {
    const name = `${(files += 1)}.csv`;
    const rows = amounts.map((text, index) => `ACC-1,${files}-${index},${text}`);
    desk.write(name, `from_account,to_account,amount\n${rows.join("\n")}\n`);
    const before = server.requests.length;
    const report = await desk.process(name);
    expect(report.byStatus.accepted?.rows).toBe(amounts.length);
    const sent = server.requests.slice(before).map((request) => [toAccount(request), sentAmount(request)]);
    expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(amounts.map((text, index) => [`${files}-${index}`, text]))); // prettier-ignore
    const paise = amounts.reduce((sum, text) => sum + BigInt(hundredths(text)), 0n);
    expect(report.total.amount.replace(".", "")).toBe(paise.toString().padStart(3, "0"));
  });
  await fc.assert(property, { numRuns: 10 });
});

function toAccount({ body }: Received): string {
  return (JSON.parse(body) as { to_account: string }).to_account;
}

function hundredths(text: string): string {
  const [whole = "0", decimals = ""] = text.split(".");
  return whole + decimals.padEnd(2, "0");
}
