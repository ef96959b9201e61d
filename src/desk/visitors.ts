import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { csrfOf, whoseSession, type Account } from "../acts/accounts.ts";
import type { Desk } from "./desk.ts";

const COOKIE = { httpOnly: true, sameSite: "Strict", path: "/" } as const;
const KNOWN_SECONDS = 180 * 24 * 3600;

/** Who asks, by the cookies of this desk, and from where. */
export class Visitors {
  readonly #desk: Desk;
  readonly #isForwarded: boolean;
  /** Another desk on this machine has another cookie. */
  cookie = "";

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#isForwarded = desk.config.desk_url !== undefined;
  }

  tokenOf(c: Context): string | undefined {
    return getCookie(c, this.cookie);
  }

  csrfOf(c: Context): string {
    return csrfOf(this.tokenOf(c) ?? "");
  }

  /** `isActive`: they do something, and their session lasts longer for it. */
  async accountOf(c: Context, { isActive = true } = {}): Promise<Account | undefined> {
    const { store } = this.#desk;
    const token = this.tokenOf(c);
    return token === undefined ? undefined : whoseSession(store, token, store.now(), isActive);
  }

  signIn(c: Context, token: string): void {
    setCookie(c, this.cookie, token, { ...COOKIE, secure: this.#isSecure(c) });
  }

  /** What this browser keeps of the last person who signed in with it. */
  knownOf(c: Context): string | undefined {
    return getCookie(c, `${this.cookie}-known`);
  }

  keepKnown(c: Context, token: string): void {
    setCookie(c, `${this.cookie}-known`, token, { ...COOKIE, secure: this.#isSecure(c), maxAge: KNOWN_SECONDS });
  }

  addressOf(c: Context): string {
    // behind a web server on this machine the last one is whom that one has seen; without one anybody could say so
    const forwarded = this.#isForwarded ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
    return forwarded || (getConnInfo(c).remote.address ?? "");
  }

  #isSecure(c: Context): boolean {
    return this.#isForwarded && c.req.header("x-forwarded-proto") === "https";
  }
}
