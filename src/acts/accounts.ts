import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import pLimit from "p-limit";
import { DAY_MS } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { personOf } from "../journal/approval.ts";
import type { Act, JournalStore } from "../journal/store.ts";

/** Each may do what those before it may. */
export const ROLES = ["view", "decide", "approve"] as const;
export type Role = (typeof ROLES)[number];

export interface Account {
  /** As it was written; the name that it is found by has no capitals. */
  readonly name: string;
  readonly role: Role;
  readonly salt: string;
  readonly hash: string;
  /** The password was made by `desk add`: only to choose another one. */
  readonly isOneTime: boolean;
  readonly at: number;
}

type Store = Pick<JournalStore, "keep" | "kept">;

export const mayDo = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

export async function accountOf(store: Store, name: string): Promise<Account | undefined> {
  return (await store.kept<Account>("account", personOf(name)))[0]?.value;
}

export async function accounts(store: Store): Promise<readonly Account[]> {
  return (await store.kept<Account>("account")).map(({ value }) => value);
}

/** Nobody chose another one in time: whoever finds the password later cannot use it. */
export const hasLapsed = ({ isOneTime, at }: Account, now: number): boolean => isOneTime && now - at >= 7 * DAY_MS;

/**
 * Of somebody who has an account, too: who forgot a password gets a new one. Gives the password, which is nowhere kept.
 * `isShort`: to try a desk behind which no money is.
 */
export async function addAccount(
  store: Store,
  name: string,
  role: Role,
  act: Act,
  { isOneTime = true, isShort = false } = {},
): Promise<string> {
  const password = (
    randomBytes(isShort ? 4 : 10)
      .toString("hex")
      .match(isShort ? /.{4}/g : /.{5}/g) ?? []
  ).join("-");
  const account: Account = { name, role, ...(await secretOf(password)), isOneTime, at: act.at };
  await store.keep("account", personOf(name), account, { ...act, as: name, note: role });
  await endSessions(store, name);
  return password;
}

export async function removeAccount(store: Store, name: string, act: Act): Promise<void> {
  const account = await accountOf(store, name);
  if (!account) throw new PaydropError("no_account", { name });
  await store.keep("account", personOf(name), undefined, { ...act, as: account.name });
  await endSessions(store, account.name);
}

const PASSWORD_CHARACTERS = { least: 12, most: 200 };

/** Why a password cannot be chosen; undefined: it may be. */
export function wrongPassword(account: Account, password: string): "password_short" | "password_name" | undefined {
  const { length } = password;
  if (length < PASSWORD_CHARACTERS.least || length > PASSWORD_CHARACTERS.most) return "password_short";
  return personOf(password).includes(personOf(account.name)) ? "password_name" : undefined;
}

/** Every other session of that person ends. */
export async function changePassword(store: Store, account: Account, password: string, at: number): Promise<Account> {
  const changed: Account = { ...account, ...(await secretOf(password)), isOneTime: false, at };
  await store.keep("account", personOf(account.name), changed);
  await endSessions(store, account.name);
  return changed;
}

/** As slow where there is no such account: how long it takes tells nothing. */
export async function isPassword(account: Account | undefined, password: string): Promise<boolean> {
  const { salt, hash } = account ?? { salt: "00", hash: "" };
  const found = await derived(password.slice(0, PASSWORD_CHARACTERS.most + 1), salt);
  const kept = Buffer.from(hash, "hex");
  return kept.length === found.length && timingSafeEqual(kept, found);
}

async function secretOf(password: string): Promise<Pick<Account, "salt" | "hash">> {
  const salt = randomBytes(16).toString("hex");
  return { salt, hash: (await derived(password, salt)).toString("hex") };
}

/** 64 MB for each: guessing takes memory as well. */
const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };

/** One at a time: each takes memory, and one of the few threads that read files. */
const oneByOne = pLimit(1);

function derived(password: string, salt: string): Promise<Buffer> {
  const derive = promisify(scrypt) as (...values: [string, Buffer, number, typeof COST]) => Promise<Buffer>;
  return oneByOne(() => derive(password.normalize("NFC"), Buffer.from(salt, "hex"), 32, COST));
}

const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 3_600_000;
/** So often a session is written down again while somebody works. */
const NOTED_MS = 60_000;

interface Session {
  readonly of: string;
  /** Of the password that it began with: another one ends it. */
  readonly print: string;
  readonly begunAt: number;
  readonly seenAt: number;
}

/** What the browser has in its cookie; the journal knows only its hash. */
export const newToken = (): string => randomBytes(32).toString("base64url");
const nameOf = (token: string): string => digest("session", token);
/** What every form of this browser carries. */
export const csrfOf = (token: string): string => digest("form", token);

function digest(what: string, token: string): string {
  return createHash("sha256").update(`${what}\n${token}`).digest("base64url");
}

/** A browser in which this person has signed in with this password: nobody else's wrong tries keep them out of it. */
export function knownToken(account: Account): string {
  const nonce = randomBytes(16).toString("base64url");
  return `${nonce}.${digest("known", `${nonce}\n${account.hash}`)}`;
}

/** What such a token is counted by; undefined: it is none of this account. */
export function knownBy(account: Account | undefined, token: string | undefined): string | undefined {
  const [nonce = "", mac = ""] = token?.split(".") ?? [];
  return account && mac === digest("known", `${nonce}\n${account.hash}`) ? nonce : undefined;
}

const printOf = ({ hash }: Account): string => digest("password", hash);

export async function beginSession(store: Store, account: Account, now: number): Promise<string> {
  const token = newToken();
  for (const { name } of (await store.kept<Session>("session")).filter(({ value }) => isOver(value, now)))
    await store.keep("session", name, undefined);
  const session: Session = { of: personOf(account.name), print: printOf(account), begunAt: now, seenAt: now };
  await store.keep("session", nameOf(token), session);
  return token;
}

/** Signed out while another page was being made: that one must not write them down again. */
const ended = new Set<string>();

/**
 * Whose session it is; undefined where there is none, or it has ended. What the account may do is asked each time.
 * `isActive`: a person did something; a page that renews itself keeps no session alive.
 */
export async function whoseSession(store: Store, token: string, now: number, isActive = true) {
  const [found] = await store.kept<Session>("session", nameOf(token));
  if (!found || isOver(found.value, now)) return undefined;
  const account = await accountOf(store, found.value.of);
  if (!account || printOf(account) !== found.value.print) return undefined;
  if (isActive && now - found.value.seenAt > NOTED_MS && !ended.has(found.name))
    await store.keep("session", found.name, { ...found.value, seenAt: now });
  return account;
}

export function endSession(store: Store, token: string): Promise<void> {
  ended.add(nameOf(token));
  return store.keep("session", nameOf(token), undefined);
}

function isOver({ begunAt, seenAt }: Session, now: number): boolean {
  return now - begunAt >= SESSION_MS || now - seenAt >= IDLE_MS;
}

async function endSessions(store: Store, name: string): Promise<void> {
  for (const one of await store.kept<Session>("session"))
    if (one.value.of === personOf(name)) await store.keep("session", one.name, undefined);
}
