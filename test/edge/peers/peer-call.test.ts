/** The field that a node sends to the owner of a key. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type PeerCall, readCall, signCall } from '../../../edge/peers/peer-call.ts';
import fc, { ANY_CHARACTER } from '../../support/fc.ts';

const KEY = randomBytes(32);
const NOW = Date.UTC(2026, 10, 27, 12, 0, 0);
const TARGET = { node: 'fra1', authority: 'www.example.com', path: '/a?b' };
const CALL: PeerCall = { key: 'https://www.example.com/a?b', purgedAt: 7, newerThan: 0, origin: null, lifetime: null };

test('the owner reads what was signed', () => {
  const call = fc.record(
    {
      key: fc.string({ unit: ANY_CHARACTER }).map((text) => `https://${text.toWellFormed()}`),
      purgedAt: fc.nat(),
      newerThan: fc.maxSafeNat(),
      origin: fc.option(fc.string()),
      lifetime: fc.option(
        fc.record(
          {
            ttl: fc.integer({ min: -1, max: 1e9 }),
            overrides: fc.boolean(),
            maxTtl: fc.integer({ min: -1, max: 1e9 }),
          },
          { requiredKeys: ['ttl', 'overrides'], noNullPrototype: true },
        ),
      ),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(call, (signed) => {
      const value = signCall(signed, TARGET, KEY, NOW);
      assert.match(value, /^[\w.-]+$/);
      assert.equal(readCall(value, TARGET, [KEY], NOW), signed);
    }),
    { numRuns: 50 },
  );
});

test('a field is for one node, authority and path', () => {
  const value = signCall(CALL, TARGET, KEY, NOW);
  for (const other of [{ node: 'ams1' }, { authority: 'example.com' }, { path: '/a' }, { path: '/a?b\nx' }])
    assert.is(readCall(value, { ...TARGET, ...other }, [KEY], NOW), undefined);
});

test('a field is for a few minutes', () => {
  const value = signCall(CALL, TARGET, KEY, NOW);
  for (const seconds of [-299, 0, 299]) assert.ok(readCall(value, TARGET, [KEY], NOW + seconds * 1000));
  for (const seconds of [-302, 302]) assert.is(readCall(value, TARGET, [KEY], NOW + seconds * 1000), undefined);
});

test('the previous key is accepted while the key file is rotated', () => {
  const value = signCall(CALL, TARGET, KEY, NOW);
  assert.ok(readCall(value, TARGET, [randomBytes(32), KEY], NOW));
  assert.is(readCall(value, TARGET, [randomBytes(32)], NOW), undefined);
});

test('any change invalidates the signature', () => {
  const value = signCall(CALL, TARGET, KEY, NOW);
  fc.assert(
    fc.property(fc.nat(value.length - 1), fc.constantFrom('0', 'A', 'z', '_', '.', '~'), (at, replacement) => {
      const changed = value.slice(0, at) + replacement + value.slice(at + 1);
      // The last character of a MAC has two bits that say nothing.
      if (changed === value || at === value.length - 1) return;
      assert.is(readCall(changed, TARGET, [KEY], NOW), undefined);
    }),
    { numRuns: 100 },
  );
  for (const text of ['', '.', '..', 'x.y.z', `${value}.`, `1${value}`, value.slice(0, -1)])
    assert.is(readCall(text, TARGET, [KEY], NOW), undefined);
});

test('signed content of another version is not read', () => {
  for (const other of [
    { key: 1 },
    { purgedAt: 'x' },
    { newerThan: null },
    { origin: 3 },
    { lifetime: { ttl: 'x', overrides: true } },
    { lifetime: { ttl: -1, overrides: true, maxTtl: 'x' } },
  ]) {
    const value = signCall({ ...CALL, ...other } as unknown as PeerCall, TARGET, KEY, NOW);
    assert.is(readCall(value, TARGET, [KEY], NOW), undefined);
  }
});

test.run();
