/** Known vulnerabilities of the packages that the daemon is installed with, as npm reports them. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { without } from './optional.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TIMEOUT = 120_000;

interface Audit {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly message?: string;
}

test('npm audit reports no vulnerability of a dependency of the daemon', () => {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=0'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: TIMEOUT,
  });
  let audit: Audit = {};
  try {
    audit = JSON.parse(stdout) as Audit;
  } catch {}
  if (audit.metadata === undefined) {
    console.log(`skipped: npm audit, ${without('the registry of npm')}: ${audit.message ?? 'no output'}`);
    return;
  }
  const { info, low, ...severe } = audit.metadata.vulnerabilities;
  assert.is(severe.total - (info ?? 0) - (low ?? 0), 0, stdout);
});

test.run();
