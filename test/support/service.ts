import { onTestFinished } from "vitest";
import { answer, startFaultServer, type FaultServer, type FaultServerOptions, type Script } from "./fault-server.ts";

/** A service that answers as the script says, for as long as its test lasts. */
export async function startService(
  script: Script = () => answer(200),
  options: FaultServerOptions = {},
): Promise<FaultServer> {
  const server = await startFaultServer(script, options);
  onTestFinished(() => server.close());
  return server;
}
