/** The visitor behind proxies, next to a slow reference that reads whole lists. */
import { isIPv4, isIPv6 } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readForwarded, statedAddresses, statedScheme, trustOf } from '../../../../core/net/address/visitor.ts';
import fc from '../../../support/fc.ts';

const PROXIES = ['192.0.2.80', '10.1.2.3', '2001:db8:ffff::1'];
const trusts = trustOf(['192.0.2.80', '10.0.0.0/8', '2001:db8:ffff::/48']);
const PEER = PROXIES[0];

/** The visitor of a connection from `peer`. */
const visitorOf = (peer: string, lines: readonly string[], trusted: typeof trusts): string =>
  trusted(peer) ? (statedAddresses(lines, trusted)[0] ?? peer) : peer;

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

/** A list of X-Forwarded-For as Forwarded. */
const asForwarded = (list: string): string =>
  list
    .split(',')
    .map((text) => text.trim())
    .map((text) => (text === '' ? '' : `For=${text.startsWith('"') || !/[:[]/.test(text) ? text : `"${text}"`};by=_x`))
    .join(',');

test('Forwarded has the addresses of X-Forwarded-For', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      // A malformed quote makes its whole line unreadable.
      const readable = lines.map((text) => text.replace(/"192\.0\.2\.1(?=[ \t]*(?:,|$))/g, '192.0.2.01'));
      assert.equal(readForwarded(readable.map(asForwarded), trusts).addresses, statedAddresses(readable, trusts));
    }),
    { numRuns: 1000 },
  );
});

test('Forwarded describes the request as the first trusted proxy received it', () => {
  const stated = (...lines: string[]) => readForwarded(lines, trusts);
  const visitor = '198.51.100.7';
  assert.equal(stated(`for=${visitor};proto=https;host=a.test`), {
    addresses: [visitor],
    proto: 'https',
    host: 'a.test',
  });
  assert.equal(
    stated(`for=127.0.0.1;proto=http, for=${visitor} ; proto=https;host="a.test:81",for=10.0.0.1;proto=http`),
    {
      addresses: [visitor, '10.0.0.1'],
      proto: 'https',
      host: 'a.test:81',
    },
  );
  assert.equal(stated('FOR="[2001:db8::1]:4711";Proto=HTTPS;by="\\_x"'), {
    addresses: ['2001:db8::1'],
    proto: 'HTTPS',
    host: '',
  });
  // HAProxy and others send colons without quotes.
  assert.equal(stated(`proto=http;for=${visitor}:4711`).addresses, [visitor]);
  assert.equal(stated('for=unknown;proto=https'), { addresses: [], proto: 'https', host: '' });
  assert.equal(stated(`for=${visitor}`, 'for=_hidden').addresses, [], 'a line of its own');
  for (const text of [`for="x, for=${visitor}`, `for=${visitor};x`, `=, for=${visitor}`, `for=a"b, for=${visitor}`])
    assert.equal(stated(text), { addresses: [], proto: '', host: '' }, text);
});

test('a line of Forwarded is read in time that grows with its length', () => {
  const steps = (text: string): void => {
    assert.equal(readForwarded([text], trusts).addresses, []);
  };
  for (const part of ['"', ' ', '\\"', 'for=" ', ';', 'a', 'for=1 ']) steps(`${part.repeat(60_000)}"`);
});

test('schemes of proxies: in any case, of WebSockets, and the first of a list', () => {
  for (const text of ['https', 'HTTPS', 'wss', 'Wss', 'https,https', 'https, http', ' https ,http'])
    assert.is(statedScheme(text), 'https', text);
  for (const text of ['http', 'ws', 'WS', 'http,https']) assert.is(statedScheme(text), 'http', text);
  for (const text of ['', 'ftp', 'https:', ',https']) assert.is(statedScheme(text), undefined, text);
});

test.run();
