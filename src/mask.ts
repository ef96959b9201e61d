/**
 * What may be shown of personal and bank data (I10). A masked value still lets a person find the cell; it never lets
 * anybody else use it.
 */
export type Sensitivity = "account" | "vpa" | "mobile" | "email" | "name";

/** `••4471` for an account or mobile, `ab••@bank` for a payment address or e-mail. */
export function mask(value: string, sensitivity: Sensitivity): string {
  switch (sensitivity) {
    case "vpa":
    case "email": {
      const at = value.indexOf("@");
      return at < 0 ? `${value.slice(0, 2)}••` : `${value.slice(0, Math.min(2, at))}••${value.slice(at)}`;
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

/**
 * The id of a debit account: shown as it is when it is a name (`ACC-OPS-01`), masked when it looks like an account
 * number (six digits or more in a row).
 */
export function maskAccountId(value: string): string {
  return /\d{6}/.test(value) ? mask(value, "account") : value;
}
