/**
 * On the other supported versions of Node: the daemon, and the parts that depend on the version
 * (native modules, system calls, OpenSSL, HTTP transports, threads). `npm run test:node` runs all.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeBinary, otherVersions } from '../runner/node-binary.ts';
import { plan } from '../runner/plan.ts';
import { startChild } from '../support/child.ts';

const PATTERN = new RegExp(
  [
    '^smoke',
    '^core/os/(?!pulse)',
    '^core/nameserver/(threads|tcp|tls|udp)\\.test',
    '^core/store/environment',
    '^admin-api/http/transport\\.test',
    '^admin-api/proxy/(certificate|origin)\\.test',
    '^edge/http/(tls|transport)/',
    '^edge/http/server/(server|staple)\\.test',
    '^edge/ocsp/',
    '^edge/compress/whole',
    '^system/edge/clients/key-exchange',
    '^system/edge/daemon/staple',
    '^system/core/base/main-heap',
  ].join('|'),
);
const PROGRAM = join(import.meta.dirname, '../runner/files.js');
const LIMIT_MS = 600_000;

const test = suite('versions of Node');

/** The path; null, with a line that gives the reason, if it cannot be installed. */
function installed(major: number): string | null {
  try {
    return nodeBinary(major);
  } catch (error) {
    if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw error;
    console.log(`skipped: ${(error as Error).message.split('\n')[0]}`);
    return null;
  }
}

for (const major of otherVersions()) {
  const program = installed(major);
  if (program === null) test.skip(`Node ${major}`, () => {});
  else
    test(`Node ${major}`, async () => {
      const env = { ...process.env, FORCE_COLOR: '0', WAYPOST_DEPTH: 'quick' };
      for (const files of plan('all', PATTERN)) {
        const child = startChild(program, [PROGRAM, ...files], { ...env, WAYPOST_TEST_RUNNER: '1' });
        assert.is(await child.ended(LIMIT_MS), 0, child.output());
      }
    });
}

test.run();
