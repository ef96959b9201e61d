import type { Sensitivity } from "./operations/operation.ts";

/**
 * What may be shown of personal and bank data (I10). A masked value still lets a person find the cell; it never lets
 * anybody else use it.
 */

/** `••4471` for an account or mobile, `ab••@bank` for a payment address or e-mail. */
export function mask(value: string, sensitivity: Sensitivity): string {
  switch (sensitivity) {
    case "vpa":
    case "email": {
      const at = value.indexOf("@");
      if (at < 0) return `${value.slice(0, 2)}••`;
      // whatever follows the host is another address, or something that nobody expects here
      const host = HOST.exec(value.slice(at))?.[0] ?? "@";
      const rest = value.length > at + host.length ? "••" : "";
      return `${value.slice(0, Math.min(2, at))}••${host}${rest}`;
    }
    case "name":
      return `${value.slice(0, 1)}••`;
    case "account":
    case "mobile":
      return value.length > 4 ? `••${value.slice(-4)}` : "••";
    default:
      return sensitivity satisfies never;
  }
}

const HOST = /^@[\p{L}\p{M}\p{Nd}.-]*/u;

/** Nine digits or more, also in groups as people write accounts and mobiles; amounts have groups of two or three. */
const LONG_NUMBER = /[0-9]{9,}|[0-9]{4,}(?:[ -][0-9]{4,}){2,}|[0-9]{5} [0-9]{5}/g;

/**
 * Text of a place that should hold nothing personal: where columns were shifted, an account or an address stands there.
 * Decimals are no account: a third of an amount is `33333.3333333333`.
 */
export function maskStray(text: string): string {
  if (text.includes("@")) return mask(text, "email");
  if (/^[0-9]{2,8}\.[0-9]+$/.test(text)) return text;
  return maskNumbers(text);
}

/** At most twelve digits before one or two decimals. */
const WITH_DECIMALS = /^(?:0|[1-9][0-9]{0,11}|[1-9][0-9]{0,2}(?:,[0-9]{2,3})*,[0-9]{3})[.][0-9]{1,2}$/;
/** An account that became a number on its way, or by the format of its cell: no payment has so many digits. */
const NUMBER_OF_ACCOUNT = /^[0-9]+[.]0$|^[0-9]{11,}[.]00$/;

/**
 * What stands in a column of amounts. With decimals it is an amount, and shown: a person judges it by its digits. Many
 * digits without decimals may be an account from another column.
 */
export function maskStrayAmount(text: string): string {
  return WITH_DECIMALS.test(text) && !NUMBER_OF_ACCOUNT.test(text) ? text : maskStray(text);
}

/** Text of a setting, which may name accounts: a pattern, a list. */
export function maskNumbers(text: string): string {
  return text.replace(LONG_NUMBER, (digits) => mask(digits, "account"));
}

/**
 * The id of a debit account: shown as it is when it is a name (`ACC-OPS-01`), masked when it looks like an account
 * number: six digits or more in a row, or nine in groups, in any script. A payment address is no such name, and is
 * masked too.
 */
export function maskAccountId(value: string): string {
  if (value.includes("@")) return mask(value, "email");
  const isNumber = /\p{Nd}{6}/u.test(value) || /\p{Nd}{9}/u.test(value.replace(BETWEEN_DIGITS, ""));
  return isNumber ? mask(value, "account") : value;
}

const BETWEEN_DIGITS = /[\s\p{P}\p{Cf}]+/gu;
