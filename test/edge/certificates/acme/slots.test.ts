/** Names in several certificates, and the certificate that is ordered next. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addRefusals, describeRefused, replaceableAt, retryOf } from '../../../../edge/certificates/acme/refused.ts';
import {
  assignNames,
  chooseSlot,
  type HeldCertificate,
  MAX_ALL_NAMES,
  MAX_NAMES,
} from '../../../../edge/certificates/acme/slots.ts';

const test = suite('certificates, names and slots');
const NOW = 1_000_000_000;

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `n${from + i}.example.net`);

const held = (slot: number, names: readonly string[], more: Partial<HeldCertificate> = {}): HeldCertificate => ({
  ...{
    slot,
    names,
    chain: '',
    createdAt: NOW - 1,
    notBefore: NOW - 1,
    notAfter: NOW + 90,
    renewAt: NOW + 60,
    directory: 'ca',
  },
  ...more,
});

test('names stay in their certificate, and further names fill the room of the first', () => {
  const first = ['example.net', '*.example.net'];
  assert.equal(assignNames([...first, 'www.shop.example.net'], [held(0, first)]), [
    { slot: 0, names: [...first, 'www.shop.example.net'] },
  ]);
  const [all, more] = [numbered(0, MAX_NAMES), numbered(MAX_NAMES, MAX_NAMES + 3)];
  assert.equal(assignNames([...all, ...more], [held(0, all)]), [
    { slot: 0, names: all },
    { slot: 1, names: more },
  ]);
  // A name of the second certificate stays there, although the first has room.
  assert.equal(assignNames(['a', 'c', 'b'], [held(0, ['a']), held(1, ['b'])]), [
    { slot: 0, names: ['a', 'c'] },
    { slot: 1, names: ['b'] },
  ]);
  // The first certificate is never empty, and certificates without names are left out.
  assert.equal(assignNames(['b'], [held(0, ['a']), held(1, ['b'])]), [{ slot: 0, names: ['b'] }]);
  assert.equal(assignNames(['a'], [held(0, ['a']), held(1, ['b'])]), [{ slot: 0, names: ['a'] }]);
});

test('a certificate that serves a name which is refused for now is kept until late, and takes no new names', () => {
  const valid = { names: ['a', 'b'], notBefore: NOW - 60 * 86_400, notAfter: NOW + 30 * 86_400 };
  const refused = addRefusals([], new Map([['b', 'No.']]), NOW, 0);
  assert.is(replaceableAt(valid, refused, NOW), NOW + 60);
  assert.is(replaceableAt(valid, refused, NOW + 60), 0, 'all names are ordered again');
  assert.is(replaceableAt({ ...valid, names: ['a'] }, refused, NOW), 0);
  const late = { ...valid, notAfter: NOW + 5 * 86_400 };
  assert.ok(replaceableAt(late, refused, NOW) <= NOW, 'the other names would lose theirs');
  const slots = assignNames(['a', 'b', 'c'], [held(0, ['a', 'b'])], undefined, new Set([0]));
  assert.equal(slots, [
    { slot: 0, names: ['a', 'b'] },
    { slot: 1, names: ['c'] },
  ]);
});

test('a certificate has 25 names at most, and a domain 20 certificates', () => {
  const slots = assignNames(numbered(0, MAX_ALL_NAMES + 10), []);
  assert.is(slots.length, 20);
  assert.ok(slots.every(({ names }) => names.length === MAX_NAMES && MAX_NAMES === 25));
  const single = assignNames(numbered(0, 60), [], 1);
  assert.equal(single, [{ slot: 0, names: numbered(0, 25) }], 'older nodes read one certificate');
});

test('missing certificates are ordered first, then those with new names, then renewals', () => {
  const choice = {
    directories: ['ca', 'fallback'],
    failures: 0,
    isRequested: false,
    withoutRsa: new Set<number>(),
    now: NOW,
  };
  const slots = [0, 1, 2, 3].map((slot) => ({ slot, names: [`${slot}`] }));
  const certificates = [
    held(0, ['0'], { renewAt: NOW }),
    held(1, []),
    held(2, ['2'], { notAfter: NOW }),
    held(3, ['3'], { directory: 'another' }),
  ];
  const orders = [0, 1, 2, 3, 4].map((failures) => chooseSlot(slots, certificates, { ...choice, failures })?.slot);
  assert.equal(orders, [2, 1, 0, 3, 2], 'a certificate that fails does not block the others');
  const good = slots.map(({ slot }) => held(slot, [`${slot}`], slot === 1 ? { directory: 'fallback' } : {}));
  assert.is(chooseSlot(slots, good, choice), null);
  const rsa = chooseSlot(slots, good, { ...choice, withoutRsa: new Set([2, 3]) });
  assert.equal([rsa?.slot, rsa?.isRsa], [2, true]);
  const mixed = chooseSlot(slots, certificates, { ...choice, withoutRsa: new Set([0, 1, 2, 3]) });
  assert.equal([mixed?.slot, mixed?.isRsa], [2, false], 'last of all');
  assert.is(chooseSlot(slots, good, { ...choice, isRequested: true })?.slot, 0);
});

test('a refused name is retried later, and holds for the names below a refused wildcard', () => {
  const first = addRefusals([], new Map([['*.dev.example.net', 'CAA.']]), NOW, 0);
  assert.is(retryOf('a.dev.example.net', first, NOW), NOW + 60);
  assert.is(retryOf('*.dev.example.net', first, NOW + 59), NOW + 60);
  assert.is(retryOf('a.dev.example.net', first, NOW + 60), null);
  assert.is(retryOf('dev.example.net', first, NOW), null);
  assert.is(retryOf('a.dev.example.net', first, NOW - 365 * 86_400), null, 'a clock was a year ahead');
  const second = addRefusals(
    first,
    new Map([
      ['*.dev.example.net', 'CAA.'],
      ['x.y.example.net', 'No.'],
    ]),
    NOW,
    0,
  );
  assert.equal(
    second.map(({ failures, retryAt }) => [failures, retryAt - NOW]),
    [
      [2, 120],
      [1, 60],
    ],
  );
  assert.is(describeRefused(second), 'No certificate could be ordered for *.dev.example.net and 1 more name: CAA.');
  assert.is(describeRefused([]), null);
  const many = addRefusals(first, new Map(numbered(0, 500).map((name) => [name, 'No.'])), NOW, 0);
  assert.is(many.length, 100);
  assert.is(retryOf('other.example.net', many, NOW), NOW + 60, 'others wait when no more are stored');
});

test.run();
