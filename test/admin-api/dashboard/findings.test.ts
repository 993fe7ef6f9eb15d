/** Findings as the dashboard groups, compares and shows them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareFindings, groupFindings } from '../../../admin-api/dashboard/apps/findings.ts';
import { splitExcerpt, visible } from '../../../admin-api/ui/excerpt.ts';

type Finding = Parameters<typeof groupFindings>[0][number];

const finding = (changes: Partial<Finding>): Finding => ({
  ...{ type: 'error', code: 'eval', message: 'It uses eval.', file: 'app.js', line: 1, column: 1 },
  ...{ excerpt: 'eval(x)', fix: 'Do not.', url: '/api/dev/rules#eval' },
  ...changes,
});

test('findings are grouped by severity, then by rule', () => {
  const notice = finding({ type: 'notice', code: 'n' });
  const [first, other, second] = [finding({}), finding({ code: 'a' }), finding({ line: 9 })];
  assert.equal(groupFindings([notice, first, other, second]), [
    {
      type: 'error',
      count: 3,
      rules: [
        { code: 'eval', findings: [first, second] },
        { code: 'a', findings: [other] },
      ],
    },
    { type: 'notice', count: 1, rules: [{ code: 'n', findings: [notice] }] },
  ]);
  assert.equal(groupFindings([]), []);
});

test('a finding whose line has moved is not new; one more of the same is', () => {
  const before = [finding({ line: 1 }), finding({ code: 'gone' })];
  const moved = finding({ line: 7 });
  const second = finding({ line: 8 });
  const { added, gone } = compareFindings(before, [moved, second]);
  assert.equal([...added], [second]);
  assert.is(gone, 1);
});

test('the position is marked in the excerpt', () => {
  assert.equal(splitExcerpt(finding({ excerpt: '  eval(x)', column: 3 })), {
    ...{ before: '  ', marked: 'eval', after: '(x)' },
  });
  // An excerpt of a long line has 41 characters before the position.
  const long = `…${'a'.repeat(40)}eval(x)`;
  assert.equal(splitExcerpt(finding({ excerpt: long, column: 900 })), {
    ...{ before: `…${'a'.repeat(40)}`, marked: 'eval', after: '(x)' },
  });
  assert.equal(splitExcerpt(finding({ excerpt: '(x)', column: 1 }))?.marked, '(');
  assert.equal(splitExcerpt(finding({ excerpt: 'short', column: 40 })), { before: 'short', marked: '', after: '' });
  assert.is(splitExcerpt(finding({ excerpt: ' ' })), null);
  assert.is(splitExcerpt(finding({ excerpt: null })), null);
});

test('characters that hide or reorder text are shown', () => {
  assert.is(visible('a\u202eb\u200bc\0d\te'), 'a\\u{202e}b\\u{200b}c\\u{0}d\te');
  assert.is(visible('ü – 日本 😀'), 'ü – 日本 😀');
});

test.run();
