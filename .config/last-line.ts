import type { Reporter, TestModule } from "vitest/node";
import { NEEDS, whereIs, type NeedName } from "../test/support/needs.ts";

/** What was left out and how to have it; then `2220 passed, 3 failed, 4 skipped`, for whoever reads the log of a machine. */
export default class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let [passed, skipped] = [0, 0];
    // what breaks outside a test, or while a file is loaded, is a failure like any other
    let failed = errors.length;
    const leftOut = new Map<NeedName, number>();
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else {
          skipped += 1;
          const needs = (test.tags as NeedName[]).filter((name) => whereIs(name) === undefined);
          for (const name of needs) leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
        }
      }
    }
    const lines = [...leftOut].map(([name, tests]) => {
      const { what, how } = NEEDS[name];
      return `left out: ${tests} ${tests === 1 ? "test needs" : "tests need"} ${what} → ${how}\n`;
    });
    const last = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`;
    // behind the summary that the other reporter writes at the same moment
    setImmediate(() => process.stdout.write(lines.join("") + last));
  }
}
