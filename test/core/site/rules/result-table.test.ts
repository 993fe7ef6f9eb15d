/** Results of rules that are remembered: a table of fixed size, and no result of another text. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RuleSet } from '../../../../core/site/rules/index.ts';
import { ResultTable } from '../../../../core/site/rules/part-results.ts';
import { openFacts, requestOf } from './request.ts';

const test = suite('remembered results of rules');

test('a text is found by its owner, up to its end', () => {
  const table = new ResultTable<number>();
  assert.is(table.find(1, '/a?b=1', 2), undefined);
  table.add(1, '/a?b=1', 2, 7);
  for (const [text, end] of [
    ['/a', 2],
    ['/a?b=2', 2],
  ] as const)
    assert.is(table.find(1, text, end), 7);
  assert.is(table.find(2, '/a', 2), undefined);
  assert.is(table.find(1, '/a?b=1', 6), undefined);
  assert.is(table.find(1, '/ab', 3), undefined);
});

test('texts displace each other; what is found is the result of the text', () => {
  const table = new ResultTable<number>();
  let found = 0;
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 30_000; i++) {
      const text = `/${i}`;
      const result = table.find(1, text, text.length);
      if (result === undefined) table.add(1, text, text.length, i);
      else {
        assert.is(result, i);
        found++;
      }
    }
  assert.ok(found < 16_384, String(found));
  assert.ok(table.find(1, '/29999', 6) === 29_999);
});

test('long texts are not remembered, and texts that differ in one character only are told apart', () => {
  const table = new ResultTable<number>();
  const long = 'x'.repeat(513);
  table.find(1, long, long.length);
  table.add(1, long, long.length, 1);
  assert.is(table.find(1, long, long.length), undefined);
  for (let i = 0; i < 300; i++) {
    const text = `${'x'.repeat(i)}y${'x'.repeat(299 - i)}`;
    assert.is(table.find(1, text, 300), undefined);
    table.add(1, text, 300, i);
    assert.is(table.find(1, text, 300), i);
  }
});

test('a flood of paths changes no result', () => {
  const set = new RuleSet({ rules: [{ match: { path: { suffix: ['7'] } }, action: { type: 'deny' } }] });
  for (let i = 0; i < 20_000; i++)
    assert.is(set.run(openFacts(requestOf(`/${i % 17_000}`))), String(i % 17_000).endsWith('7') ? 0 : -1);
});

test.run();
