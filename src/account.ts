/** What groups digits for the eye, as a regular expression says it. */
const GROUP_SIGNS = "[ -]+";

const EVERY_GROUP_SIGN = new RegExp(GROUP_SIGNS, "g");
const GROUPED = new RegExp(`^[0-9]+(?:${GROUP_SIGNS}[0-9]+)+$`);

/**
 * `5010 0271 8280`, `5010-0271-8280` and `501002718280` are the same account. A text with any other letter or sign
 * stays as it is.
 */
export function withoutGroups(account: string): string {
  return mayBeGrouped(account) && GROUPED.test(account) ? account.replaceAll(EVERY_GROUP_SIGN, "") : account;
}

/** A bank account number in India has at least so many digits; an id with signs in it mostly has fewer. */
const ACCOUNT_DIGITS_MIN = 9;

/**
 * The same for a text that may be an id as well: `5010-0271-8280` is an account in groups, `12-345` and `123-45` are
 * two ids.
 */
export function withoutGroupsOfAccount(text: string): string {
  const plain = withoutGroups(text);
  return plain.length < ACCOUNT_DIGITS_MIN ? text : plain;
}

/** A quick look first: most texts have no groups, and every value of every row is asked. */
function mayBeGrouped(text: string): boolean {
  return text.includes(" ") || text.includes("-");
}
