/** Server cookies: the vectors of RFC 9018 appendix A, and invalid cookies. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../../../core/net/address/client.ts';
import { ipv6Bytes } from '../../../../core/net/address/ipv6.ts';
import { COOKIE_LENGTH, ServerCookies } from '../../../../core/zone/answer/cookies.ts';
import { COOKIE } from '../../../../core/zone/answer/query.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const clientAt = (address: Uint8Array): Client => {
  const client = new Client();
  client.setAddress(address, 0, address.length);
  return client;
};

const SECRET = hex('e5e973e5a6b2a43f48e7dc849e37bfcf');
const LEARNER = clientAt(Uint8Array.of(198, 51, 100, 100));
const OTHER = clientAt(Uint8Array.of(203, 0, 113, 203));
/** Wed Jun 5 10:53:05 UTC 2019, and the cookie of appendix A.1 at that time. */
const LEARNED_AT = 1_559_731_985;
const LEARNED = '2464c4abcf10c957010000005cf79f111f8130c3eee29480';

interface Judged {
  readonly verdict: number;
  readonly value: string;
}

/** The cookie is at an offset in a packet. */
function checkCookie(server: ServerCookies, option: string, client: Client, now: number): Judged {
  const bytes = hex(`ffffff${option}ffffff`);
  const verdict = server.check(bytes, 3, option.length / 2, client, now);
  const value = Buffer.alloc(COOKIE_LENGTH);
  server.write(value, 0);
  return { verdict, value: value.toString('hex') };
}

test('A.1: a client learns its cookie', () => {
  const judged = checkCookie(new ServerCookies([SECRET]), '2464c4abcf10c957', LEARNER, LEARNED_AT);
  assert.equal(judged, { verdict: COOKIE.CLIENT, value: LEARNED });
});

test('A.2: after 40 minutes it is valid, and a new one is returned', () => {
  const judged = checkCookie(new ServerCookies([SECRET]), LEARNED, LEARNER, 1_559_734_385);
  assert.equal(judged, { verdict: COOKIE.VALID, value: '2464c4abcf10c957010000005cf7a871d4a564a1442aca77' });
});

test('A.3: another client, which returns after almost two hours', () => {
  const old = 'fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5';
  const judged = checkCookie(new ServerCookies([SECRET]), old, OTHER, 1_559_734_700);
  assert.equal(judged, { verdict: COOKIE.BAD, value: 'fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e' });
  // The hash includes the reserved bytes. The cookie was valid a minute after it was issued.
  assert.is(checkCookie(new ServerCookies([SECRET]), old, OTHER, 0x5cf78f71 + 60).verdict, COOKIE.VALID);
});

test('A.4: over IPv6, made with the previous secret', () => {
  const client = clientAt(ipv6Bytes('2001:db8:220:1:59de:d0f4:8769:82b8'));
  const cookies = new ServerCookies([hex('445536bcd2513298075a5d379663c962'), hex('dd3bdf9344b678b185a6f5cb60fca715')]);
  const judged = checkCookie(cookies, '22681ab97d52c298010000005cf7c57926556bd0934c72f8', client, 1_559_741_961);
  assert.equal(judged, { verdict: COOKIE.VALID, value: '22681ab97d52c298010000005cf7c609a6bb79d16625507a' });
});

const cookies = new ServerCookies([SECRET]);

for (const [what, seconds, verdict, isKept] of [
  ['at once', 0, COOKIE.VALID, true],
  ['half an hour old', 1800, COOKIE.VALID, true],
  ['older', 1801, COOKIE.VALID, false],
  ['an hour old', 3600, COOKIE.VALID, false],
  ['older than an hour', 3601, COOKIE.BAD, false],
  ['five minutes ahead', -300, COOKIE.VALID, true],
  ['further ahead', -301, COOKIE.BAD, false],
  ['half a circle away', 2 ** 31, COOKIE.BAD, false],
] as const)
  test(`the age of a cookie: ${what}`, () => {
    const judged = checkCookie(cookies, LEARNED, LEARNER, (LEARNED_AT + seconds) | 0);
    assert.is(judged.verdict, verdict);
    assert.is(judged.value === LEARNED, isKept);
    // The returned cookie is valid at that time.
    const again = checkCookie(cookies, judged.value, LEARNER, (LEARNED_AT + seconds) | 0);
    assert.equal(again, { verdict: COOKIE.VALID, value: judged.value });
  });

test('a time after 2106 wraps to a small number', () => {
  const before = checkCookie(cookies, '2464c4abcf10c957', LEARNER, -60).value;
  assert.equal(checkCookie(cookies, before, LEARNER, 60), { verdict: COOKIE.VALID, value: before });
});

test('a cookie with any changed bit is invalid', () => {
  for (let bit = 0; bit < 24 * 8; bit++) {
    const bytes = hex(LEARNED);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    const { verdict } = checkCookie(cookies, Buffer.from(bytes).toString('hex'), LEARNER, LEARNED_AT);
    assert.is(verdict, COOKIE.BAD, `bit ${bit}`);
  }
});

test('a cookie is invalid with another address, secret or length', () => {
  assert.is(checkCookie(cookies, LEARNED, OTHER, LEARNED_AT).verdict, COOKIE.BAD);
  assert.is(checkCookie(new ServerCookies([new Uint8Array(16)]), LEARNED, LEARNER, LEARNED_AT).verdict, COOKIE.BAD);
  for (const option of [LEARNED.slice(0, 32), `${LEARNED}00`, `${LEARNED}${'00'.repeat(16)}`]) {
    const judged = checkCookie(cookies, option, LEARNER, LEARNED_AT);
    assert.equal(judged, { verdict: COOKIE.BAD, value: LEARNED }, `${option.length / 2} bytes`);
  }
});

test('an IPv4-mapped IPv6 address is the same client as the IPv4 address', () => {
  const mapped = clientAt(ipv6Bytes('::ffff:198.51.100.100'));
  assert.is(mapped.length, 4);
  assert.is(checkCookie(cookies, LEARNED, mapped, LEARNED_AT).verdict, COOKIE.VALID);
  // Not with another prefix of the same 16 bytes.
  for (const address of ['::198.51.100.100', '1::ffff:198.51.100.100', '::fffe:198.51.100.100'])
    assert.is(clientAt(ipv6Bytes(address)).length, 16, address);
});

test('a longer address of an earlier client does not affect the hash', () => {
  const client = clientAt(ipv6Bytes('2001:db8::1'));
  client.setAddress(Uint8Array.of(198, 51, 100, 100), 0, 4);
  const mixed = new ServerCookies([SECRET]);
  checkCookie(mixed, LEARNED, clientAt(ipv6Bytes('2001:db8::2')), LEARNED_AT);
  assert.is(checkCookie(mixed, LEARNED, client, LEARNED_AT).verdict, COOKIE.VALID);
});

test.run();
