import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { actOf } from "../batch.ts";
import { isoSecond } from "../day.ts";
import { accounts, addAccount, removeAccount, ROLES } from "../desk/accounts.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import type { Act } from "../journal/store.ts";
import { DESK_SAID } from "../messages/desk.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { optionOf, show, summarize, textsOf, type Call } from "./command.ts";
import { endOfDead, nameSaid, openWork, withWork } from "./open-work.ts";

const EXAMPLE = "paydrop desk add asha --role decide";

/** Pages for people who do not type commands; and who may sign in there. */
export function run(call: Call): Promise<number> {
  const [word, ...names] = call.operands;
  if (word === undefined) return serve(call);
  if (word === "list") return list(call);
  if (word === "add") return change(call, names, add);
  if (word === "remove") return change(call, names, remove);
  throw new PaydropError("unknown_word", { thing: "word", said: printable(word, 40), words: "add, remove, list" });
}

const PORT = 7878;
/** So seldom it is asked whether a process that sends is gone. */
const LOOKED_MS = 10_000;

async function serve(call: Call): Promise<number> {
  const said = optionOf(call, "port");
  const port = said === undefined ? PORT : Number(said);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new PaydropError("usage_wrong", { found: `--port ${printable(said ?? "", 40)} is no port`, todo: "Write a number such as 7878." }); // prettier-ignore
  // the commands that pages call read their settings anew; here nothing is sent, so no key is kept
  const env = Object.fromEntries(
    Object.entries(call.env).filter(([name]) => !/^PAYDROP_(?:API_KEY|AES_|SMTP_)/.test(name)),
  );
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  return withWork({ ...call, env: { ...env } }, "act", async (work, config) => {
    const { serveDesk } = await import("../desk/server.ts");
    const { port: _port, inbox: _inbox, by: _by, ...flags } = call.flags;
    const staging = mkdtempSync(join(tmpdir(), "paydrop-desk-"));
    let lookedAt = 0;
    const desk = {
      ...{ config, store: work.store, call: { flags, env }, staging },
      inboxes: textsOf(call, "inbox").map((folder) => resolve(folder)),
      say: (text: string) => call.stderr.write(`${text}\n`),
      async endOfDead() {
        // hosts of one journal see to each other
        if (config.shared || Date.now() - lookedAt < LOOKED_MS) return;
        lookedAt = Date.now();
        await endOfDead(work, (mode) => openWork(config, {}, mode));
      },
      act: ({ name: by }: { readonly name: string }, kind: Act["kind"]) => actOf(work, kind, { by }),
    };
    try {
      const serving = await serveDesk(desk, port).catch((error: unknown) => {
        if (systemCodeOf(error) !== "EADDRINUSE") throw error;
        throw new PaydropError("port_taken", { flag: "--port", port, why: messageOf(error) });
      });
      tell(call, config, "serves", { url: serving.url });
      if ((await accounts(work.store)).length === 0) tell(call, config, "nobody");
      await stopped;
      await serving.close();
      return 0;
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  });
}

function tell(call: Call, config: Parameters<typeof show>[1], name: keyof typeof DESK_SAID, facts: Facts = {}): void {
  const { text, todo } = told(DESK_SAID[name], facts);
  show(call, config, { type: name, ...facts }, `${text}\n${todo === "" ? "" : `  → ${todo}\n`}`);
}

function list(call: Call): Promise<number> {
  return withWork(call, "act", async ({ store }, config) => {
    const all = await accounts(store);
    for (const { name, role, isOneTime, at } of all) tell(call, config, isOneTime ? "account_new" : "account", { name, role, since: isoSecond(at) }); // prettier-ignore
    if (all.length === 0) tell(call, config, "nobody");
    return summarize(call, config, 0, { accounts: all.length });
  });
}

type Change = (call: Call, work: Parameters<Parameters<typeof withWork>[2]>[0], name: string) => Promise<Facts>;

function change(call: Call, names: readonly string[], carryOut: Change): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const name = nameSaid(names.join(" "));
    if (name === undefined) throw new PaydropError("word_missing", { option: "NAME", example: EXAMPLE });
    const facts = await carryOut(call, work, name);
    tell(call, config, carryOut === add ? "added" : "removed", { name, ...facts });
    return summarize(call, config, 0, { name });
  });
}

const add: Change = async (call, work, name) => {
  const role = ROLES.find((one) => one === optionOf(call, "role"));
  if (!role) throw new PaydropError("word_missing", { option: `--role ${ROLES.join("|")}`, example: EXAMPLE });
  return { role, password: await addAccount(work.store, name, role, actOf(work, "add_account")) };
};

const remove: Change = async (_, work, name) => {
  await removeAccount(work.store, name, actOf(work, "remove_account"));
  return {};
};
