/**
 * DNS cookies (RFC 7873, 9018) as dig and kdig handle them, and what a cookie of ours is good for
 * when rates are limited.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { messagesOf, option, request, server, type Transcript } from './transcript.ts';

const APEX = 'cookies.test';
const WWW = `www.${APEX}`;
const SECRETS = ['000102030405060708090a0b0c0d0e0f', 'f0e0d0c0b0a090807060504030201000'] as const;
const CLIENT = '0011223344556677';
/** Over the limit of one a second, however slowly they come. */
const MANY = 20;

/** With a zone that answers one address. */
async function serving(settings: Record<string, string>): Promise<Daemon> {
  const daemon = await startDaemon(settings);
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await daemon.api.createRecord(await daemon.api.createDomain(APEX), 'www', 'A', '192.0.2.1');
  return daemon;
}

/** In hexadecimal, both halves, in lower case; `dig` says behind it what it thinks of it. */
const cookieOf = (message: Transcript): string | undefined =>
  /^[0-9a-f]+/i.exec(option(message, 'COOKIE') ?? '')?.[0].toLowerCase();

const kdig = (port: number, ...args: readonly string[]): Promise<Transcript> =>
  request('kdig', [...server('kdig', port), ...args]);

const test = suite('transcripts: cookies');

test('kdig: our cookie is accepted, and returned again; a forged one is rejected, and replaced', async () => {
  const daemon = await serving({ WAYPOST_DNS_COOKIES: 'require', WAYPOST_DNS_COOKIE_SECRET: SECRETS[0] });
  try {
    const ask = (sent: string) => kdig(daemon.dnsPort, '+nobadcookie', `+cookie=${sent}`, WWW);
    const first = await ask(CLIENT);
    assert.equal([first.status, first.answer], ['BADCOOKIE', []]);
    const cookie = cookieOf(first) ?? '';
    // RFC 9018 section 4: the client's 8 bytes, version 1, three reserved, time and hash of 4 and 8
    // bytes.
    assert.match(cookie, new RegExp(`^${CLIENT}01000000[0-9a-f]{24}$`));
    const second = await ask(cookie);
    assert.equal([second.status, second.answer.length, cookieOf(second)], ['NOERROR', 1, cookie]);
    const forged = cookie.slice(0, -1) + (cookie.endsWith('0') ? '1' : '0');
    assert.is((await ask(forged)).status, 'BADCOOKIE');
    // The hash holds the client's half, too.
    assert.is((await ask(`ffff${cookie.slice(4)}`)).status, 'BADCOOKIE');
    // Who sends none is answered, and so is who comes by TCP.
    assert.is((await kdig(daemon.dnsPort, '+nocookie', WWW)).status, 'NOERROR');
    assert.is((await kdig(daemon.dnsPort, '+tcp', `+cookie=${CLIENT}`, WWW)).status, 'NOERROR');
  } finally {
    await daemon.close();
  }
});

test('both retry automatically: BADCOOKIE, then the answer', async () => {
  const daemon = await serving({ WAYPOST_DNS_COOKIES: 'require' });
  try {
    for (const [program, flags] of [
      ['kdig', ['+cookie', '+badcookie']],
      ['dig', ['+cookie', '+badcookie', '+showbadcookie']],
    ] as const) {
      const { output } = await runProgram(program, [...server(program, daemon.dnsPort), ...flags, WWW]);
      const [refused, answered] = messagesOf(output);
      assert.equal([refused?.status, answered?.status, answered?.answer.length], ['BADCOOKIE', 'NOERROR', 1], output);
      assert.is(cookieOf(answered), cookieOf(refused));
      if (program === 'dig') assert.match(option(answered, 'COOKIE') ?? '', /\(good\)$/);
    }
  } finally {
    await daemon.close();
  }
});

test("the secret is rotated without failures; nodes with the same secrets accept each other's cookies", async () => {
  const before = await serving({ WAYPOST_DNS_COOKIES: 'require', WAYPOST_DNS_COOKIE_SECRET: SECRETS[0] });
  const after = await serving({
    WAYPOST_DNS_COOKIES: 'require',
    WAYPOST_DNS_COOKIE_SECRET: SECRETS[1],
    WAYPOST_DNS_COOKIE_SECRET_PREVIOUS: SECRETS[0],
  });
  try {
    const old = cookieOf(await kdig(before.dnsPort, '+nobadcookie', `+cookie=${CLIENT}`, WWW)) ?? '';
    const rolled = await kdig(after.dnsPort, '+nobadcookie', `+cookie=${old}`, WWW);
    const renewed = cookieOf(rolled) ?? '';
    assert.equal([rolled.status, renewed.length], ['NOERROR', old.length]);
    assert.is.not(renewed, old);
    assert.is((await kdig(after.dnsPort, '+nobadcookie', `+cookie=${renewed}`, WWW)).status, 'NOERROR');
    assert.is((await kdig(before.dnsPort, '+nobadcookie', `+cookie=${renewed}`, WWW)).status, 'BADCOOKIE');
  } finally {
    await before.close();
    await after.close();
  }
});

test('off: the option is ignored as unknown', async () => {
  const daemon = await serving({ WAYPOST_DNS_COOKIES: 'off' });
  try {
    const response = await kdig(daemon.dnsPort, `+cookie=${CLIENT}`, WWW);
    assert.equal([response.status, cookieOf(response)], ['NOERROR', undefined]);
  } finally {
    await daemon.close();
  }
});

test('above the rate limit TC=1 is sent, and the client retries over TCP; with our cookie nothing is limited', async () => {
  const daemon = await serving({
    WAYPOST_DNS_RRL_RATE: '1',
    WAYPOST_DNS_RRL_SLIP: '1',
    WAYPOST_DNS_RRL_ALLOW: 'false',
  });
  try {
    const names = new Array<string>(MANY).fill(WWW);
    const run = async (...flags: readonly string[]) => {
      const args = [...server('kdig', daemon.dnsPort), ...flags, ...names];
      const { output } = await runProgram('kdig', args);
      return { messages: messagesOf(output), tcp: output.match(/\(TCP\)/g)?.length ?? 0 };
    };
    const cookie = cookieOf(await kdig(daemon.dnsPort, `+cookie=${CLIENT}`, WWW)) ?? '';
    const limited = await run();
    assert.is(limited.messages.length, MANY);
    assert.ok(limited.messages.every(({ answer }) => answer.length === 1));
    assert.ok(limited.tcp > 0 && limited.tcp <= MANY, `${limited.tcp} by TCP`);
    const cut = await run('+ignore');
    assert.ok(cut.messages.some(({ flags, answer }) => flags.includes('tc') && answer.length === 0));
    const existing = await run(`+cookie=${cookie}`);
    assert.equal([existing.messages.length, existing.tcp], [MANY, 0]);
    assert.ok(existing.messages.every(({ answer, flags }) => answer.length === 1 && !flags.includes('tc')));
  } finally {
    await daemon.close();
  }
});

const why = whyNotPrograms('kdig', 'dig');
if (why === null) test.run();
else console.log(`skipped: transcripts of cookies, ${why}`);
