/** The visitor behind proxies, next to a slow reference that reads whole lists. */
import { isIPv4, isIPv6 } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { statedAddresses, trustOf, visitorOf } from '../../../../core/net/address/visitor.ts';
import fc from '../../../support/fc.ts';

const PROXIES = ['192.0.2.80', '10.1.2.3', '2001:db8:ffff::1'];
const trusts = trustOf(['192.0.2.80', '10.0.0.0/8', '2001:db8:ffff::/48']);
const PEER = PROXIES[0];

interface Node {
  readonly address: string;
  readonly spellings: readonly string[];
}

/** Spellings of an address in lists of proxies. */
function spellingsOf(address: string): readonly string[] {
  const inBrackets = isIPv6(address) ? `[${address}]` : address;
  const plain = [address, inBrackets, `${inBrackets}:444`];
  const mapped = isIPv4(address) ? [`::ffff:${address}`, `[::FFFF:${address}]:8080`] : [address.toUpperCase()];
  return [...plain, ...mapped].flatMap((text) => [text, `"${text}"`]);
}

const nodes: readonly Node[] = [...PROXIES, '198.51.100.7', '203.0.113.9', '2001:db8::1'].map((address) => ({
  address,
  spellings: spellingsOf(address),
}));
const GARBAGE = [
  'unknown',
  '_hidden',
  '192.0.2.1.',
  '192.0.2.01',
  '[192.0.2.1]',
  '"192.0.2.1',
  '192.0.2.1:',
  '1',
  '""',
];

/** What a reader by hand does: the address of each member, or null. */
const meanings = new Map<string, string | null>(GARBAGE.map((text) => [text, null]));
for (const { address, spellings } of nodes) for (const text of spellings) meanings.set(text, address);

/** From the left: the visitor is the last member that no trusted proxy has appended. */
function slowly(peer: string, lines: readonly string[]): string {
  if (!trusts(peer)) return peer;
  const members = lines.flatMap((row) => row.split(',')).map((part) => part.trim());
  const hops = [...members.filter((part) => part !== '').map((part) => meanings.get(part) ?? null), peer];
  const isReached = (i: number): boolean => hops.slice(i + 1).every((hop) => hop !== null && trusts(hop));
  return hops.find((hop, i) => hop !== null && isReached(i)) ?? peer;
}

const member = fc.constantFrom(...meanings.keys(), '');
const blank = fc.constantFrom('', ' ', '\t', '  ');
const line = fc
  .array(fc.tuple(blank, member, blank), { maxLength: 5 })
  .map((members) => members.map((parts) => parts.join('')).join(','));

test('any list of any lines has the visitor of the reference', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), fc.constantFrom(...nodes), (lines, { address }) => {
      assert.is(visitorOf(address, lines, trusts), slowly(address, lines));
    }),
    { numRuns: 2000 },
  );
});

test('how a list is spread over lines does not matter', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      assert.equal(statedAddresses(lines, trusts), statedAddresses([lines.join(', ')], trusts));
    }),
  );
});

test('whatever a visitor sends, it is the address that the last proxy was reached from', () => {
  const own = '203.0.113.77';
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), fc.array(fc.string()), (lines, noise) => {
      const chain = [`${own}, 10.9.9.9`, PROXIES[2]];
      assert.is(visitorOf(PEER, [...lines, ...noise, ...chain], trusts), own);
    }),
  );
});

test('the visitor is the last address that no trusted proxy has', () => {
  const visitor = (...lines: string[]): string => visitorOf(PEER, lines, trusts);
  assert.is(visitor(), PEER);
  assert.is(visitor('198.51.100.7'), '198.51.100.7');
  assert.is(visitor('198.51.100.7', '203.0.113.9'), '203.0.113.9', 'the line that the proxy has added');
  assert.is(visitor('198.51.100.7, 203.0.113.9'), '203.0.113.9');
  assert.is(visitor('198.51.100.7, 10.0.0.9', '10.0.0.8'), '198.51.100.7');
  assert.is(visitor('10.0.0.9, 10.0.0.8'), '10.0.0.9', 'all are trusted');
  assert.is(visitor('198.51.100.7, unknown, 10.0.0.8'), '10.0.0.8', 'the last proxy that states an address');
  assert.is(visitor('198.51.100.7, '), '198.51.100.7');
  assert.is(visitorOf('203.0.113.9', ['198.51.100.7'], trusts), '203.0.113.9', 'not trusted');
});

test('a prefix of mapped addresses trusts the IPv4 addresses', () => {
  assert.is(visitorOf('10.0.0.1', ['198.51.100.7'], trustOf(['::ffff:10.0.0.0/104'])), '198.51.100.7');
});

test.run();
