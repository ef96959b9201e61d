/**
 * The limit of the chosen client: bodies that were built beforehand, a lane per connection, and nothing else. No
 * reading, no checking, no encryption, no memory of what was sent. `node bare-undici.ts BODIES URL PATH LANES`
 */
import { readFileSync } from "node:fs";
import { Pool } from "undici";
import { API_KEY } from "../keys.ts";

const [file = "", url = "", path = "", lanes = "50"] = process.argv.slice(2);
const bodies = readFileSync(file, "latin1").split("\n");
const pool = new Pool(url, { connections: Number(lanes), pipelining: 1, allowH2: false });
const headers = { "content-type": "application/json", "x-api-key": API_KEY };
let next = 0;

async function lane(): Promise<void> {
  for (;;) {
    const body = bodies[next++];
    if (body === undefined) return;
    const answer = await pool.request({ path, method: "POST", headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  }
}

await Promise.all(Array.from({ length: Number(lanes) }, lane));
await pool.close();
