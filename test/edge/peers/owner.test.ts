/** Which node owns a key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hashOf, ownerOf } from '../../../edge/peers/owner.ts';
import fc, { ANY_CHARACTER } from '../../support/fc.ts';

const nodesOf = (names: readonly string[]) => names.map((label) => ({ name: label, hash: hashOf(label) }));
const NAMES = ['ams1', 'fra1', 'nyc1', 'sin1'];
const NODES = nodesOf(NAMES);
const KEYS = Array.from({ length: 4000 }, (_, i) => `https://www.example.com/images/${i}.png?v=${i % 7}`);
const name = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);
const url = fc.string({ unit: ANY_CHARACTER }).map((path) => new URL(path, 'https://www.example.com/a/').href);

test('nodes agree whatever the order of their lists', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 12 }), url, (names, key) => {
      const owner = ownerOf(key, nodesOf(names))?.name;
      assert.ok(owner !== undefined && names.includes(owner));
      assert.is(ownerOf(key, nodesOf(names.toReversed()))?.name, owner);
    }),
    { numRuns: 50 },
  );
});

test('without nodes a key has no owner', () => {
  assert.is(ownerOf('https://a.test/', []), undefined);
});

test('each node owns its share of the keys', () => {
  const counts = new Map(NAMES.map((each) => [each, 0]));
  for (const key of KEYS) {
    const owner = ownerOf(key, NODES)!.name;
    counts.set(owner, counts.get(owner)! + 1);
  }
  for (const [each, count] of counts) assert.ok(count > 850 && count < 1150, `${each}: ${count}`);
});

test('a node that leaves moves only its own keys', () => {
  for (const gone of NAMES) {
    const rest = nodesOf(NAMES.filter((each) => each !== gone));
    for (const key of KEYS.slice(0, 500)) {
      const before = ownerOf(key, NODES)!.name;
      if (before !== gone) assert.is(ownerOf(key, rest)!.name, before);
    }
  }
});

test('the hash never changes: nodes of different versions must agree', () => {
  assert.equal(
    KEYS.slice(0, 8).map((key) => ownerOf(key, NODES)!.name),
    EXPECTED,
  );
});

const EXPECTED = ['sin1', 'ams1', 'ams1', 'nyc1', 'fra1', 'sin1', 'nyc1', 'nyc1'];

test.run();
