import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest on two cores, in this order: what begins last must not be what all wait for in the end. */
const SLOWEST = [
  "hosts/lost",
  "hosts/limits",
  "crash/points",
  "journal/sqlite",
  "journal/postgres",
  "desk/roles",
  "desk/browser",
  "crash/torture",
  "crash/history",
  "desk/desk",
  "cli/cli",
  "samples",
  "journal/shares",
  "monitor/notices",
  "inbox/folder",
  "commands/year",
  "commands/journal",
];

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return rank < 0 ? SLOWEST.length : rank;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
