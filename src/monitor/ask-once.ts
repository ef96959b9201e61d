import { messageOf } from "../errors.ts";
import { verdictOf } from "../submission/verdict.ts";

/** One request beside payments: with `json` a POST. Gives what went wrong; a redirect is not followed. */
export async function askOnce(address: string, signal: AbortSignal, json?: object): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(address);
  const { EnvHttpProxyAgent } = await import("undici");
  const agent = new EnvHttpProxyAgent({ connect: { rejectUnauthorized: true } });
  const post = json && { headers: { "content-type": "application/json" }, body: JSON.stringify(json) };
  try {
    const method = json ? "POST" : "GET";
    const { statusCode, body } = await agent.request({ origin, path: pathname + search, method, ...post, signal });
    const said = json && statusCode < 300 ? await beginningOf(body) : "";
    body.on("error", () => undefined).destroy();
    if (statusCode >= 300) return `the answer was ${statusCode}`;
    return verdictOf(said) === "says_no" ? `the answer was ${statusCode}: ${said}` : undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    await agent.destroy();
  }
}

const ANSWER_BYTES_MAX = 1024;

/** Of an answer that is short, the whole of it. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body) {
    pieces.push(piece);
    if (pieces.reduce((sum, one) => sum + one.length, 0) >= ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).toString("utf8").slice(0, ANSWER_BYTES_MAX);
}
