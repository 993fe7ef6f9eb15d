/** Runs test files on the other supported versions of Node. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeBinary, otherVersions } from '../runner/node-binary.ts';
import { plan } from '../runner/plan.ts';
import { MARK } from '../runner/report.ts';
import { startChild } from './child.ts';

const PROGRAM = join(import.meta.dirname, '../runner/files.js');
const LIMIT_MS = 600_000;

/** Path of the binary; null if it cannot be installed. Prints the reason. */
function installed(major: number): string | null {
  try {
    return nodeBinary(major);
  } catch (error) {
    if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw error;
    console.log(`skipped: ${(error as Error).message.split('\n')[0]}`);
    return null;
  }
}

/** Adds a test for each major version that runs the files matching its pattern. */
export function testOnOtherVersions(patternOf: (major: number) => RegExp): void {
  const test = suite('versions of Node');
  for (const major of otherVersions()) {
    const program = installed(major);
    if (program === null) test.skip(`Node ${major}`, () => {});
    else
      test(`Node ${major}`, async () => {
        const pattern = patternOf(major);
        const env = { ...process.env, FORCE_COLOR: '0', WAYPOST_DEPTH: 'quick' };
        for (const files of plan('all', (path) => pattern.test(path))) {
          const child = startChild(program, [PROGRAM, ...files], { ...env, WAYPOST_TEST_RUNNER: '1' });
          const code = await child.ended(LIMIT_MS);
          // The last step names the hanging test. Marks are removed, since these steps do not
          // belong to this process.
          assert.is(code, 0, child.output().replaceAll(MARK[0], ''));
        }
      });
  }

  test.run();
}
