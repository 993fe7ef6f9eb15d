/** What passes in libraries hides no attack, and what was rejected as one is never approved. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RULES } from '../../../../../admin-api/miniapp/audit/rules.ts';
import { audited } from './audited.ts';
import { MARKUP_CASES } from './markup-cases.ts';
import { REACHED_CASES } from './reached-cases.ts';
import { RELAXED_CASES } from './relaxed-cases.ts';
import { SCRIPT_CASES } from './script-cases.ts';

for (const { by, files } of [...RELAXED_CASES, ...REACHED_CASES])
  test(`${by}: ${String(files['app.js']).split('\n').slice(0, 2).join(' ')}`, async () => {
    const { verdict, findings } = await audited(files);
    assert.is.not(verdict, 'approved', JSON.stringify(findings, null, 1));
  });

test('no case of a rule that rejects is approved', async () => {
  for (const { code, triggers, sdks } of [...SCRIPT_CASES, ...MARKUP_CASES])
    if (RULES[code].type === 'error') assert.is.not((await audited(triggers, sdks)).verdict, 'approved', code);
});

test.run();
