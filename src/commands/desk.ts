import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { nameSaid } from "../acts/act.ts";
import { endOfDead, openFor, openWork, withWork, type OpenedWork } from "../acts/open.ts";
import { actOf } from "../batch.ts";
import { isoSecond } from "../day.ts";
import { accounts, addAccount, hasLapsed, removeAccount, ROLES } from "../acts/accounts.ts";
import type { Desk } from "../desk/desk.ts";
import { STATEMENT_NAME } from "../desk/trial-samples.ts";
import { Figures } from "../figures.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { DESK_SAID } from "../messages/desk.ts";
import { told, toldLines, type Facts } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { commandsIn, optionOf, show, summarize, textsOf, type Call } from "./command.ts";

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
/** A desk to try looks so far for a port that is free. */
const PORTS_TRIED = 20;
/** So seldom it is asked whether a process that sends is gone. */
const LOOKED_MS = 10_000;

/**
 * How the desk is opened: it serves its pages beside whatever else this process does, and says where. It
 * throws where the port is taken. `say`: for the log.
 */
export function deskOf(call: Call) {
  const said = optionOf(call, "port");
  const port = said === undefined ? undefined : Number(said);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new PaydropError("usage_wrong", {
      found: `--port ${printable(said ?? "", 40)} is no port`,
      todo: "Write a number such as 7878.",
    });
  return async (
    work: OpenedWork,
    inboxes: readonly string[],
    say: Desk["say"],
    { endOfDead = () => Promise.resolve(), lastLook }: Partial<Pick<Desk, "endOfDead" | "lastLook">> = {},
  ): Promise<AsyncDisposableStack> => {
    const { config, store, who, isTrial } = work;
    const { serveDesk } = await import("../desk/server.ts");
    await using all = new AsyncDisposableStack();
    const staging = mkdtempSync(join(tmpdir(), "paydrop-desk-"));
    all.defer(() => rmSync(staging, { recursive: true, force: true }));
    const desk = {
      ...openFor(call, work),
      who,
      inboxes,
      staging,
      say,
      endOfDead,
      lastLook,
      figures: new Figures(config),
    };
    const serving = await serveOn((at) => serveDesk(desk, at), port, isTrial ? PORTS_TRIED : 1);
    all.defer(() => serving.close());
    tell(call, config, "serves", { url: serving.url, ...(isTrial && { kept: optionOf(call, "state_dir") ?? "" }) });
    const [statement] = isTrial ? inboxes.map((inbox) => join(dirname(inbox), STATEMENT_NAME)).filter(existsSync) : [];
    if (statement !== undefined) tell(call, config, "sample_statement", { path: printable(statement) });
    for (const [name, role] of isTrial ? SAMPLE_PEOPLE : []) {
      const password = await addAccount(store, name, role, actOf(work, "add_account"), {
        isOneTime: false,
        isShort: true,
      });
      tell(call, config, "sample_account", { name, role, password });
    }
    if ((await accounts(store)).length === 0) tell(call, config, "nobody");
    return all.move();
  };
}

/** Who tries the desk can be each of these. */
const SAMPLE_PEOPLE = [
  ["asha", "decide"],
  ["ravi", "approve"],
  ["meena", "view"],
] as const;

function serve(call: Call): Promise<number> {
  const openDesk = deskOf(call);
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  return withWork(call, "act", async (work, config) => {
    let lookedAt = 0;
    const inboxes = textsOf(call, "inbox").map((folder) => resolve(folder));
    const say = (text: string): void => call.stderr.write(`${text}\n`);
    const desk = await openDesk(work, inboxes, say, {
      endOfDead: async () => {
        // hosts of one journal see to each other
        if (config.shared || Date.now() - lookedAt < LOOKED_MS) return;
        lookedAt = Date.now();
        await endOfDead(work, (mode) => openWork(config, {}, mode));
      },
    });
    await stopped;
    await desk.disposeAsync();
    return 0;
  });
}

async function serveOn<T>(open: (port: number) => Promise<T>, said: number | undefined, tries: number): Promise<T> {
  for (let port = said ?? PORT; ; port += 1) {
    try {
      return await open(port);
    } catch (error) {
      if (systemCodeOf(error) !== "EADDRINUSE") throw error;
      if (said !== undefined || port + 1 >= PORT + tries)
        throw new PaydropError("port_taken", { flag: "--port", port, why: messageOf(error) });
    }
  }
}

function tell(call: Call, config: Parameters<typeof show>[1], name: keyof typeof DESK_SAID, facts: Facts = {}): void {
  const words = told(DESK_SAID[name], facts);
  show(call, config, { type: name, ...facts, ...commandsIn(words) }, `${toldLines(words)}\n`);
}

function list(call: Call): Promise<number> {
  return withWork(call, "act", async ({ store }, config) => {
    const all = await accounts(store);
    for (const account of all) {
      const { name, role, isOneTime, at } = account;
      const word = hasLapsed(account, store.now()) ? "account_lapsed" : isOneTime ? "account_new" : "account";
      tell(call, config, word, { name, role, since: isoSecond(at) });
    }
    if (all.length === 0) tell(call, config, "nobody");
    return summarize(call, config, 0, { accounts: all.length });
  });
}

type Change = (call: Call, work: Parameters<Parameters<typeof withWork>[2]>[0], name: string) => Promise<Facts>;

function change(call: Call, names: readonly string[], carryOut: Change): Promise<number> {
  return withWork(call, "act", async (work, config) => {
    const name = nameSaid(names.join(" "));
    if (name === undefined) throw new PaydropError("word_missing", { option: "NAME", example: "desk" });
    const facts = await carryOut(call, work, name);
    tell(call, config, carryOut === add ? "added" : "removed", { name, ...facts });
    return summarize(call, config, 0, { name });
  });
}

const add: Change = async (call, work, name) => {
  const role = ROLES.find((one) => one === optionOf(call, "role"));
  if (!role) throw new PaydropError("word_missing", { option: `--role ${ROLES.join("|")}`, example: "desk" });
  return { role, password: await addAccount(work.store, name, role, actOf(work, "add_account")) };
};

const remove: Change = async (_, work, name) => {
  await removeAccount(work.store, name, actOf(work, "remove_account"));
  return {};
};
