/** `5010 0271 8280`, `5010-0271-8280` and `501002718280` are the same account. Any other letter or sign leaves it as it is. */
export function withoutGroups(account: string): string {
  const isGrouped = account.includes(" ") || account.includes("-");
  return isGrouped && /^[0-9]+(?:[ -]+[0-9]+)+$/.test(account) ? account.replaceAll(/[ -]/g, "") : account;
}
