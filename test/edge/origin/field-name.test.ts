import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FRAMING, responseFieldName } from '../../../edge/origin/response-head.ts';

/** Within other bytes, as a name is in what was read. */
function existing(sent: string): readonly [string, number] {
  const { text, kind } = responseFieldName(Buffer.from(`xx${sent}: y`, 'latin1'), 2, 2 + sent.length);
  return [text, kind];
}

test('a name in any case is the same field, with the same readers', () => {
  for (let round = 0; round < 2; round++) {
    for (const sent of ['Content-Type', 'content-type', 'CONTENT-TYPE', 'cONTENT-tYPE'])
      assert.equal(existing(sent), ['content-type', FRAMING.none]);
    for (const [name, kind] of Object.entries(FRAMING).slice(1)) {
      assert.equal(existing(name), [name, kind]);
      assert.equal(existing(name.toUpperCase()), [name, kind]);
    }
    assert.equal(existing('None'), ['none', FRAMING.none]);
  }
});

test('names with the same hash, and long ones, are distinguished', () => {
  const names: string[] = [];
  for (let i = 0; i < 5000; i++) names.push(`x-${i.toString(36)}-name`);
  for (let i = 1; i < 100; i++) names.push('a'.repeat(i), `${'a'.repeat(i)}B`);
  for (let round = 0; round < 2; round++)
    for (const name of names) assert.equal(existing(name), [name.toLowerCase(), FRAMING.none]);
});

test.run();
