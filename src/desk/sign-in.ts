import type { Context } from "hono";
import { isoSecond } from "../day.ts";
import { maskStray } from "../mask.ts";
import { DESK_SAID, DESK_WORDS } from "../messages/desk.ts";
import { told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import * as accounts from "../acts/accounts.ts";
import { markup, type Html } from "../pages/html.ts";
import { button, field, form } from "./forms.ts";
import { pageOf, type News } from "./frame.ts";
import { signInLimits } from "./limits.ts";
import {
  formOf,
  isFromHere,
  goodNewsOf,
  newsOf,
  plain,
  type Asked,
  type Pages,
  type Posted,
  type Word,
} from "./pages.ts";
import type { Visitors } from "./visitors.ts";

type Limits = ReturnType<typeof signInLimits>;

/** In, out, and another password. */
export function signInPages(pages: Pages): void {
  const { app, desk, visitors } = pages;
  const limits = signInLimits(Date.now);
  app.get("/sign-in", (c) => signInPage(visitors, c));
  app.post("/sign-in", (c) => signIn(pages, limits, c));
  pages.act("/sign-out", async ({ c }) => {
    await accounts.endSession(desk.store, visitors.tokenOf(c) ?? "");
    visitors.signIn(c, accounts.newToken());
    return c.redirect("/sign-in", 303);
  });
  pages.page("/password", (asked) => passwordPage(pages, asked));
  pages.act("/password", (posted) => changePassword(pages, limits, posted));
}

function signInPage(visitors: Visitors, c: Context, news?: News, status: 200 | 401 | 429 = 200): Response {
  // of nobody yet: so that the form has a token like every other
  const token = visitors.tokenOf(c) ?? accounts.newToken();
  visitors.signIn(c, token);
  const csrf = accounts.csrfOf(token);
  const fields = markup`${field("name", "Your name", { autocomplete: "username", required: true, maxlength: "80" })}
${field("password", "Password", { type: "password", autocomplete: "current-password", required: true })}<p>${button("Sign in")}</p>`;
  const content = form("/sign-in", csrf, fields, { kind: "card form narrowed" });
  return c.html(pageOf({ title: "Sign in", content }, { csrf, news }).toString(), status);
}

async function signIn({ desk, visitors }: Pages, limits: Limits, c: Context): Promise<Response> {
  const { store } = desk;
  if (!isFromHere(c)) return plain(c, 403, "other_site");
  const { text } = await formOf(c);
  if (text("csrf") !== visitors.csrfOf(c)) return plain(c, 403, "other_site");
  const said = text("name").slice(0, 200);
  const account = await accounts.accountOf(store, said);
  const of = triedBy(visitors, c, said, account);
  const name = maskStray(printable(of.name, 40));
  const log = (word: "sign_in_failed" | "sign_in_closed"): void =>
    desk.say(told(DESK_SAID[word], { at: isoSecond(Date.now()), name, address: printable(of.address, 60) }).text);
  if (!limits.mayTry(of)) {
    log("sign_in_closed");
    c.header("retry-after", "900");
    return signInPage(visitors, c, newsOf("too_many"), 429);
  }
  const isRight = await accounts.isPassword(account, text("password"));
  if (!isRight || !account || accounts.hasLapsed(account, store.now())) {
    log("sign_in_failed");
    await limits.slowly(of);
    return signInPage(visitors, c, newsOf("wrong_sign_in"), 401);
  }
  limits.wasRight(of);
  await letIn({ desk, visitors }, c, account);
  return c.redirect("/", 303);
}

/** Whoever tries a password, as the limits know them. */
function triedBy(visitors: Visitors, c: Context, name: string, account: accounts.Account | undefined) {
  return { name, address: visitors.addressOf(c), known: accounts.knownBy(account, visitors.knownOf(c)) };
}

/** Gives the token of the session that begins. */
async function letIn({ desk, visitors }: Pick<Pages, "desk" | "visitors">, c: Context, account: accounts.Account) {
  visitors.keepKnown(c, accounts.knownToken(account));
  const token = await accounts.beginSession(desk.store, account, desk.store.now());
  visitors.signIn(c, token);
  return token;
}

function passwordPage(pages: Pages, asked: Asked): Promise<Response> {
  const { account, csrf } = asked;
  const password = (name: string, label: string, kind: string, more = {}): Html =>
    field(name, label, { type: "password", autocomplete: `${kind}-password`, required: true, ...more });
  const length = { minlength: "12", maxlength: "200", hint: "12 characters or more; four or five words are good" };
  // the name is for the browser that keeps passwords
  const fields = markup`<input type="hidden" name="name" autocomplete="username" value="${account.name}">${[
    password("now", "The password of now", "current"),
    password("password", "A new password", "new", length),
    password("again", "The new password once more", "new"),
  ]}<p>${button("Change the password")}</p>`;
  const { text: oneTime, todo: toChoose } = told(DESK_WORDS.one_time);
  const sub = account.isOneTime ? `${oneTime} ${toChoose}` : "";
  const content = form("/password", csrf, fields, { kind: "card form narrowed" });
  return pages.framed(asked, { title: "Your password", sub, content });
}

async function changePassword(pages: Pages, limits: Limits, posted: Posted): Promise<Response> {
  const { visitors, desk } = pages;
  const { store } = desk;
  const { c, account, text } = posted;
  const password = text("password");
  const said = (word: Word): Response => pages.goTo(posted, "/password", newsOf(word));
  const of = triedBy(visitors, c, account.name, account);
  if (!limits.mayTry(of)) return said("too_many");
  if (!(await accounts.isPassword(account, text("now")))) return said("password_wrong");
  limits.wasRight(of);
  const wrong = accounts.wrongPassword(account, password);
  if (wrong) return said(wrong);
  if (password !== text("again")) return said("password_differs");
  if (password === text("now")) return said("password_same");
  const changed = await accounts.changePassword(store, account, password, store.now());
  const token = await letIn(pages, c, changed);
  return pages.goTo({ ...posted, csrf: accounts.csrfOf(token) }, "/", goodNewsOf("password_set"));
}
