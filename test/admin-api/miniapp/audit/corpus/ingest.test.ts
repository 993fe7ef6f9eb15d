/**
 * Each rule about archives and manifests has a package that triggers it, and one that is close
 * and does not.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_LIMITS } from '../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchive } from '../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { ARCHIVE_RULES } from '../../../../../admin-api/miniapp/audit/archive/rules.ts';
import type { Finding } from '../../../../../admin-api/miniapp/audit/finding.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import { auditManifest } from '../../../../../admin-api/miniapp/audit/manifest/audit-manifest.ts';
import { MANIFEST_RULES } from '../../../../../admin-api/miniapp/audit/manifest/rules.ts';
import { rawZip } from '../../../../support/raw-zip.ts';
import { temporaryFolder } from '../../../../support/temp.ts';
import { ARCHIVE_CASES } from './archive-cases.ts';
import type { CorpusContent } from './corpus-case.ts';
import { MANIFEST_CASES } from './manifest-cases.ts';
import { smallApp } from './small-app.ts';

const path = join(temporaryFolder('ingest'), 'app.pkg');

async function findingsOf(content: CorpusContent): Promise<readonly Finding[]> {
  const entries = (): Buffer => rawZip(Object.entries(content).map(([name, data]) => ({ name, content: data })));
  writeFileSync(path, content instanceof Uint8Array ? content : entries());
  const findings = new Findings();
  const opened = await openArchive(path, DEFAULT_LIMITS, findings);
  if (opened !== undefined) await auditManifest(opened.files, findings);
  return findings.list();
}

test('every rule has a case', () => {
  const cased = new Set([...ARCHIVE_CASES, ...MANIFEST_CASES].map(({ code }) => code as string));
  const rules = Object.keys({ ...ARCHIVE_RULES, ...MANIFEST_RULES });
  assert.equal(
    rules.filter((code) => !cased.has(code)),
    [],
  );
});

test('the small app has no finding', async () => {
  assert.equal(await findingsOf(smallApp()), []);
});

for (const { code, triggers, nearMiss } of [...ARCHIVE_CASES, ...MANIFEST_CASES])
  test(code, async () => {
    const codes = (await findingsOf(triggers)).map((finding) => finding.code);
    assert.ok(codes.includes(code), `triggers only: ${codes.join(' ')}`);
    const near = await findingsOf(nearMiss);
    assert.not.ok(near.some((finding) => finding.code === code));
  });

test('faults of the manifest have a position, and are reported once', async () => {
  for (const { code, triggers, nearMiss } of MANIFEST_CASES) {
    const findings = await findingsOf(triggers);
    assert.equal([...new Set(findings.map((finding) => finding.code))], [code]);
    const whole = ['file_missing', 'manifest_too_large', 'manifest_encoding'].includes(code);
    if (!whole)
      assert.ok(
        findings.every(({ file, line, column }) => file === 'manifest.json' && line! >= 1 && column! >= 1),
        code,
      );
    assert.equal(await findingsOf(nearMiss), [], code);
  }
});

test.run();
