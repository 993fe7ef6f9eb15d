/**
 * On the other supported versions of Node: all unit tests, and what of the system depends on the
 * version. `npm run test:node` runs the unit tests alone.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeBinary, otherVersions } from '../runner/node-binary.ts';
import { startChild } from '../support/child.ts';
import { testOnOtherVersions } from '../support/node-versions.ts';

const RUNNER = join(import.meta.dirname, '../runner/run.js');
const LIMIT_MS = 15 * 60_000;

const test = suite('unit tests on versions of Node');
for (const major of otherVersions())
  test(`Node ${major}`, async () => {
    const env = { ...process.env, FORCE_COLOR: '0', WAYPOST_DEPTH: 'quick' };
    const child = startChild(nodeBinary(major), [RUNNER, '--tier', 'unit'], env);
    assert.is(await child.ended(LIMIT_MS), 0, child.output());
  });
test.run();

testOnOtherVersions(() => /^system\/(?:edge\/clients\/key-exchange|edge\/daemon\/staple|core\/base\/main-heap)/);
