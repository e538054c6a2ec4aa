// Prints a line for each test that failed and passed when it was repeated. `.ci/run` prints these lines again at its end.

import type { Reporter, TestCase } from "vitest/node";

export default class FlakyReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) console.log(`flaky: ${test.module.relativeModuleId} > ${test.fullName}`);
  }
}
