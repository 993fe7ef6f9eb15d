/**
 * Every case of the corpus triggers its rule, and its near miss does not; the small app has no
 * finding at all.
 */
import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AUDIT_RULES, RULES } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { ARCHIVE_CASES } from './archive-cases.ts';
import { audited } from './audited.ts';
import { BACKGROUND_CASES } from './background-cases.ts';
import { DENSITY_CASES, SDK_CASES } from './density-cases.ts';
import { goodApp } from './good-app.ts';
import { MANIFEST_CASES } from './manifest-cases.ts';
import { MARKUP_CASES } from './markup-cases.ts';
import { SCRIPT_CASES } from './script-cases.ts';
import { backgroundApp, smallApp } from './small-app.ts';

test('a correct app has no finding', async () => {
  const good =
    "function onBackgroundEvent(event) {\n  Host.call('storage.set', { key: 'last', value: event.timestamp });\n}\n";
  assert.ok(Object.keys(goodApp()).length > 40);
  for (const app of [smallApp(), backgroundApp(good), goodApp()]) {
    const { findings, verdict } = await audited(app);
    assert.equal(findings, []);
    assert.is(verdict, 'approved');
  }
});

test('every rule has a case, other than those about an audit that does not end', () => {
  const cases = [ARCHIVE_CASES, BACKGROUND_CASES, DENSITY_CASES, MANIFEST_CASES, MARKUP_CASES, SCRIPT_CASES, SDK_CASES];
  const cased = new Set(cases.flat().map(({ code }) => code));
  const missing = Object.keys(RULES).filter((code) => !(code in AUDIT_RULES) && !cased.has(code as keyof typeof RULES));
  assert.equal(missing, []);
});

test('a code is in one table of rules only', async () => {
  // Put together, one table would silently take the place of another's rule.
  const folder = new URL('../../../../../admin-api/miniapp/', import.meta.url);
  const tables = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?:^|[\\/])rules\.js$/.test(path),
  );
  const codes: string[] = [];
  for (const path of tables)
    for (const [name, table] of Object.entries(await import(new URL(path, folder).href)))
      if (name.endsWith('_RULES')) codes.push(...Object.keys(table as object));
  assert.is(codes.length, new Set(codes).size);
  assert.equal([...codes].sort(), Object.keys(RULES).sort());
});

for (const { code, triggers, nearMiss, sdks } of [...BACKGROUND_CASES, ...DENSITY_CASES, ...SDK_CASES])
  test(`${code} is found in its cases, and not in similar code`, async () => {
    const { findings } = await audited(triggers, sdks);
    const found = findings.find((finding) => finding.code === code);
    assert.ok(found, `not found among ${findings.map((finding) => finding.code)}`);
    assert.ok(found.message.length > 0 && found.fix.length > 0);
    const near = await audited(nearMiss, sdks);
    assert.not.ok(
      near.findings.some((finding) => finding.code === code),
      JSON.stringify(near.findings, null, 1),
    );
  });

test.run();
