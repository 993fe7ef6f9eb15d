/**
 * Hostile archives are recognised, and none is taken for good; what comes near to them
 * is.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_LIMITS } from '../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchiveBytes } from '../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import { RULES } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { HOSTILE } from './hostile.ts';

async function codesOf(bytes: Buffer): Promise<string[]> {
  const findings = new Findings();
  await openArchiveBytes(bytes, DEFAULT_LIMITS, findings);
  return [...new Set(findings.list().map(({ code }) => code))].sort();
}

test('there are 60 and more', () => {
  const notices = HOSTILE.filter(({ codes }) => RULES[codes[0]].type === 'error');
  assert.ok(notices.length >= 60, String(notices.length));
});

for (const { what, archive, codes, nearMiss } of HOSTILE) {
  test(what, async () => {
    assert.equal(await codesOf(archive), codes.toSorted());
    if (nearMiss === undefined) return;
    const near = await codesOf(nearMiss);
    assert.equal(
      near.filter((code) => (codes as string[]).includes(code)),
      [],
    );
  });
}

test.run();
