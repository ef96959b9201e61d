import { once } from "node:events";
import { loadSettings } from "../config/load.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { ACTED } from "../messages/acts.ts";
import { told } from "../messages/sentence.ts";
import { startSandbox } from "../sandbox/server.ts";
import { optionOf, type Call } from "./command.ts";

/** The service, pretended, until SIGINT or SIGTERM. Its keys are well known on purpose, so they may be printed. */
export async function run(call: Call): Promise<number> {
  const { config } = loadSettings(call, "trial");
  const said = optionOf(call, "port");
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const sandbox = await startSandbox({ port: said === undefined ? said : Number(said) }).catch((error: unknown) => {
    if (systemCodeOf(error) !== "EADDRINUSE") throw error;
    throw new PaydropError("port_taken", { flag: "--port", port: said, why: messageOf(error) });
  });
  const { url } = sandbox;
  const { apiKey: PAYDROP_API_KEY, aesKey: PAYDROP_AES_KEY, aesIv: PAYDROP_AES_IV } = sandbox;
  const variables = { PAYDROP_BASE_URL: url, PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`);
  call.stdout.write(config.json ? `${JSON.stringify({ type: "sandbox", url, variables })}\n` : lines.join(""));
  if (!config.quiet) call.stderr.write(`${told(ACTED.sandbox_runs, { url }).text}\n`);
  await stopped;
  await sandbox.close();
  return 0;
}
