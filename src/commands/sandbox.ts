import { loadWithoutKeys } from "../config/load.ts";
import { PaydropError, systemCodeOf } from "../errors.ts";
import { startSandbox } from "../sandbox/server.ts";
import type { Call } from "./command.ts";

/** The service, pretended, until SIGINT or SIGTERM. Its keys are well known on purpose, so they may be printed. */
export async function run(call: Call): Promise<number> {
  const config = loadWithoutKeys(call);
  const port = portOf(call.flags["port"]);
  const stopped = untilSignal();
  const sandbox = await startSandbox({ port }).catch((error: unknown) => {
    if (systemCodeOf(error) !== "EADDRINUSE") throw error;
    throw new PaydropError("usage", `port ${port} is taken`, "is another sandbox running? else try --port 0");
  });
  const variables = {
    PAYDROP_BASE_URL: sandbox.url,
    PAYDROP_API_KEY: sandbox.apiKey,
    PAYDROP_AES_KEY: sandbox.aesKey,
    PAYDROP_AES_IV: sandbox.aesIv,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`);
  call.stdout.write(
    config.json ? `${JSON.stringify({ type: "sandbox", url: sandbox.url, variables })}\n` : lines.join(""),
  );
  if (!config.quiet) {
    call.stderr.write(
      `SANDBOX at ${sandbox.url}: nothing here moves money. What it accepted: ${sandbox.url}/sandbox/ledger\n`,
    );
  }
  await stopped;
  await sandbox.close();
  return 0;
}

function portOf(said: unknown): number {
  if (said === undefined) return 7900;
  const text = typeof said === "string" ? said : "";
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new PaydropError("usage", `--port: "${text}" is not a port`, "write a number from 0 to 65535");
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
