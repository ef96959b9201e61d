import type { Reporter, TestModule } from "vitest/node";

/** `2220 passed, 3 failed` as the last line, for whoever reads the log of a machine. */
export default class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    // what breaks outside a test, or while a file is loaded, is a failure like any other
    let failed = errors.length;
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
      }
    }
    // behind the summary that the other reporter writes at the same moment
    setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
