import { Writable } from "node:stream";
import { nameSaid, type Named, type Person } from "./act.ts";
import type { Work } from "../batch.ts";
import { PASSWORD, secretText } from "../config/secret.ts";
import { PaydropError } from "../errors.ts";
import type { JournalStore } from "../journal/store.ts";
import type { Call } from "../screen/look.ts";
import { accountOf, accounts, hasLapsed, isPassword, mayDo, type Role } from "./accounts.ts";

/** Whoever called. */
export function callerOf(call: Call, { store, who }: Pick<Work, "store" | "who">): Person {
  return { ...who, proves: (role) => assertIs(store, who.by ?? "", role, (name) => passwordOf(call, name)) };
}

const inboxOf = ({ flags: { inbox } }: Call): string | undefined => (typeof inbox === "string" ? inbox : undefined);

/** The person whose decision changes what becomes of money. Throws `usage` without `--by`. `example`: the command. */
export function personNamed(call: Call, work: Pick<Work, "store" | "who" | "config">, example: string): Named {
  const by = nameSaid(work.config.by);
  if (by === undefined) throw new PaydropError("by_missing", { example, inbox: inboxOf(call) });
  return { ...callerOf(call, work), by };
}

/**
 * Where one person is not to decide alone, a name that was only typed is no other person: who has accounts at the desk proves
 * the name by that account's password. Throws `usage`.
 */
export async function assertIs(
  store: Pick<JournalStore, "kept" | "keep" | "now">,
  by: string,
  role: Role,
  passwordOf: (name: string) => Promise<string | undefined>,
): Promise<void> {
  if ((await accounts(store)).length === 0) return;
  const account = await accountOf(store, by);
  if (!account || !mayDo(account.role, role)) throw new PaydropError("no_such_role", { by, role });
  const password = await passwordOf(account.name);
  if (password === undefined) throw new PaydropError("password_missing", { by });
  const isRight = await isPassword(account, password);
  if (!isRight || hasLapsed(account, store.now())) throw new PaydropError("password_wrong", { by });
  // whoever made the account knows it, too
  if (account.isOneTime) throw new PaydropError("password_one_time", { by });
}

/** From `PAYDROP_PASSWORD_FILE`, or the terminal. */
async function passwordOf(call: Call, name: string): Promise<string | undefined> {
  return secretText(PASSWORD, call.env)?.[1] ?? (await typed(call, name));
}

/** Nothing of it is shown; undefined where no terminal is there. */
async function typed({ stderr }: Call, name: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !stderr.isTerminal) return undefined;
  const { createInterface } = await import("node:readline/promises");
  const output = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const left = new AbortController();
  lines.once("close", () => left.abort());
  stderr.write(`Password of ${name} at the desk: `);
  try {
    return await lines.question("", { signal: left.signal });
  } catch {
    throw new PaydropError("no_answer");
  } finally {
    lines.close();
    stderr.write("\n");
  }
}
