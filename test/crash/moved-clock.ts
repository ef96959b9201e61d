/** Loaded into paydrop's own process with `--import`: its clock is ahead by so many days. */
const aheadMs = Number(process.env["PAYDROP_TEST_DAYS_AHEAD"] ?? 0) * 86_400_000;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...said: readonly unknown[]) {
    super(...((said.length === 0 ? [RealDate.now() + aheadMs] : said) as [number]));
  }
  static override now(): number {
    return RealDate.now() + aheadMs;
  }
} as DateConstructor;
