/** `5010 0271 8280` and `501002718280` are the same account. What is more than digits and spaces stays as it is. */
export function withoutGroups(account: string): string {
  return account.includes(" ") && /^[0-9]+(?: +[0-9]+)+$/.test(account) ? account.replaceAll(" ", "") : account;
}
