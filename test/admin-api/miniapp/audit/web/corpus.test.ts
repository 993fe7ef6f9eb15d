/**
 * Each rule about web content has a package that triggers it, and one that is close and must not.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MARKUP_RULES } from '../../../../../admin-api/miniapp/audit/markup/rules.ts';
import { SCRIPT_RULES } from '../../../../../admin-api/miniapp/audit/script/rules.ts';
import { STYLE_RULES } from '../../../../../admin-api/miniapp/audit/style/rules.ts';
import type { CorpusCase } from '../corpus/corpus-case.ts';
import { MARKUP_CASES } from '../corpus/markup-cases.ts';
import { ORDINARY_APPS } from '../corpus/ordinary-apps.ts';
import { SCRIPT_CASES } from '../corpus/script-cases.ts';
import { smallApp } from '../corpus/small-app.ts';
import { auditedFiles, codesOf, type Files } from './audited.ts';

const test = suite('admin-api/miniapp/audit/web/corpus');
const CASES: readonly CorpusCase[] = [...SCRIPT_CASES, ...MARKUP_CASES];

for (const { code, triggers, nearMiss } of CASES)
  test(code, async () => {
    assert.ok(codesOf(await auditedFiles(triggers as Files)).includes(code), 'is found');
    const near = await auditedFiles(nearMiss as Files);
    assert.not.ok(codesOf(near).includes(code), JSON.stringify(near.filter((finding) => finding.code === code)));
  });

test('every rule about web content has a case', () => {
  const rules = Object.keys({ ...SCRIPT_RULES, ...MARKUP_RULES, ...STYLE_RULES }).sort();
  assert.equal([...new Set(CASES.map(({ code }) => code as string))].sort(), rules);
});

test('the small app has no finding', async () => {
  assert.equal(await auditedFiles(smallApp()), []);
});

for (const [name, script] of Object.entries(ORDINARY_APPS))
  test(`an ordinary app has no finding: ${name}`, async () => {
    assert.equal(await auditedFiles(smallApp({ 'app.js': script })), []);
  });

test.run();
