import { EnvHttpProxyAgent } from "undici";
import { messageOf } from "../errors.ts";

const PING_TIMEOUT_MS = 5_000;

/**
 * Tells a monitor that a run has ended: `GET url/<exit code>`, and nothing else is sent. Gives what went wrong, or
 * undefined. Never rejects: a monitor that cannot be reached changes nothing about payments.
 */
export async function ping(url: string, exitCode: number): Promise<string | undefined> {
  const target = new URL(`${url}/${exitCode}`);
  let agent: EnvHttpProxyAgent | undefined;
  try {
    agent = new EnvHttpProxyAgent({ connect: { rejectUnauthorized: true, timeout: PING_TIMEOUT_MS } });
    const signal = AbortSignal.timeout(PING_TIMEOUT_MS);
    const options = { origin: target.origin, path: target.pathname, method: "GET" as const, signal };
    const { statusCode, body } = await agent.request(options);
    body.on("error", () => undefined).destroy();
    return statusCode < 300 ? undefined : `the answer was ${statusCode}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    await agent?.destroy();
  }
}
