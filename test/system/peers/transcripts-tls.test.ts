/**
 * DNS over TLS (RFC 7858) as kdig and dig see it: the profile with a known certificate, padding,
 * and many queries over one connection.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { readExposition, sampleOf } from '../../support/exposition.ts';
import { freePort } from '../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { messagesOf, recordsOf, request, server } from './transcript.ts';

const PROGRAMS = ['kdig', 'dig'] as const;
const APEX = 'tls.test';
const WWW = `www.${APEX}`;
const HOST = 'dns.waypost.test';
const MANY = 30;
/** RFC 8467 4.1. */
const BLOCK = 468;

interface Context {
  daemon: Daemon;
  port: number;
  /** File of the certificate that signs the server's. */
  authority: string;
}

const test = suite<Context>('transcripts: DNS over TLS');

test.before(async (context) => {
  const folder = temporaryFolder('tls');
  const issuer = { name: 'authority.waypost.test', key: ecKey() };
  const key = ecKey();
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const port = await freePort();
  const daemon = await startDaemon({
    WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${port}`,
    WAYPOST_DNS_TLS_CERTIFICATE: write('dns.crt', certificate({ name: HOST, key, issuer, dnsNames: [HOST] })),
    WAYPOST_DNS_TLS_KEY: write('dns.key', pemOfKey(key)),
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const zone = await daemon.api.createDomain(APEX);
  await daemon.api.createRecord(zone, 'www', 'A', '192.0.2.1', 120);
  for (let i = 0; i < 40; i++) await daemon.api.createRecord(zone, 'long', 'TXT', `"${String(i).padStart(200, 'x')}"`);
  const authority = write('authority.crt', certificate({ ...issuer, ca: true }));
  Object.assign(context, { daemon, port, authority });
});
test.after(({ daemon }) => daemon.close());

for (const program of PROGRAMS) {
  const ask = (port: number, ...args: readonly string[]) =>
    request(program, [...server(program, port), '+tls', ...args]);

  test(`${program} +tls: complete answers, as over TCP`, async ({ port }) => {
    const { status, flags, answer } = await ask(port, WWW);
    assert.equal([status, flags.includes('aa')], ['NOERROR', true]);
    assert.equal(answer, [{ name: `${WWW}.`, ttl: 120, class: 'IN', type: 'A', data: '192.0.2.1' }]);
    const long = await ask(port, `long.${APEX}`, 'TXT');
    assert.equal([long.flags.includes('tc'), long.answer.length], [false, 40]);
    assert.is((await ask(port, 'elsewhere.test')).status, 'REFUSED');
  });

  test(`${program} +tls-ca, +tls-hostname: accepted only for the names of the certificate`, async ({
    port,
    authority,
  }) => {
    const list = [`+tls-ca=${authority}`];
    assert.is((await ask(port, ...list, `+tls-hostname=${HOST}`, WWW)).status, 'NOERROR');
    for (const flags of [
      [...list, '+tls-hostname=other.waypost.test'],
      ['+tls-ca', `+tls-hostname=${HOST}`],
    ]) {
      const { output } = await runProgram(program, [...server(program, port), '+tls', ...flags, WWW]);
      assert.equal(messagesOf(output), [], output);
      assert.match(output, /certificate|TLS|handshake/i);
    }
  });

  test(`${program} +padding: whole blocks when the client pads, nothing when it does not`, async ({ port }) => {
    const other = program === 'kdig' ? [] : ['+nocookie'];
    for (const name of [WWW, `missing.${APEX}`, `long.${APEX}`]) {
      const padded = await ask(port, ...other, '+padding=128', name, 'TXT');
      assert.ok(
        padded.edns?.some((line) => /^pad/i.test(line)),
        padded.text,
      );
      assert.is(Number(/(?:Received |rcvd: )(\d+)/.exec(padded.text)?.[1]) % BLOCK, 0, padded.text);
    }
    const plain = await ask(port, ...other, ...(program === 'kdig' ? ['+nopadding'] : []), WWW);
    assert.not.ok(plain.edns?.some((line) => /^pad/i.test(line)) ?? false, plain.text);
  });
}

test('kdig +keepopen: many queries over one connection', async ({ daemon, port }) => {
  const accepted = async (): Promise<number> => {
    const { text } = await daemon.api.call('GET', '/metrics');
    return sampleOf(readExposition(text, 'prometheus'), 'waypost_dns_tcp_accepted_total', { transport: 'tls' });
  };
  const before = await accepted();
  const names = Array.from({ length: MANY }, (_, i) => (i % 2 === 0 ? WWW : `missing.${APEX}`));
  const { output } = await runProgram('kdig', [...server('kdig', port), '+tls', '+keepopen', ...names]);
  assert.equal(
    messagesOf(output).map(({ status }) => status),
    names.map((name) => (name === WWW ? 'NOERROR' : 'NXDOMAIN')),
  );
  assert.is(await accepted(), before + 1);
});

test('kdig +tls AXFR -y: a zone is transferred over TLS (RFC 9103), only with a key', async ({ daemon, port }) => {
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: 'over.tls', scopes: ['dns:read'] });
  const transfer = async (...key: readonly string[]) =>
    (await runProgram('kdig', [...server('kdig', port), '+tls', ...key, '-t', 'AXFR', APEX])).output;
  const whole = await transfer('-y', `hmac-sha256:over.tls:${body.secret}`);
  const records = recordsOf(whole);
  // SOA twice, four NS, the address, the texts.
  assert.is(records.length, 2 + 4 + 1 + 40, whole);
  assert.equal([records[0].type, records.at(-1)], ['SOA', records[0]]);
  assert.match(whole, /^;; From .*\(TCP\)/m);
  assert.not.match(whole, /^;; ERROR/m);
  const refused = await transfer();
  assert.equal([recordsOf(refused), /error '(\w+)'/.exec(refused)?.[1]], [[], 'REFUSED']);
});

test('ALPN: "dot" (RFC 9103 8.1) and no ALPN are accepted; another protocol is not', async ({ port }) => {
  const chosen = (protocols: string[]): Promise<string> =>
    new Promise((resolve) => {
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: protocols };
      const socket = connect(options, () => {
        resolve(socket.alpnProtocol === false ? 'none' : (socket.alpnProtocol ?? 'none'));
        socket.destroy();
      });
      socket.once('error', () => resolve('refused'));
    });
  assert.is(await chosen(['dot']), 'dot');
  assert.is(await chosen(['h2', 'dot']), 'dot');
  assert.is(await chosen([]), 'none');
  assert.is(await chosen(['h2', 'http/1.1']), 'refused');
});

const why = whyNotPrograms(...PROGRAMS);
if (why === null) test.run();
else console.log(`skipped: transcripts of DNS over TLS, ${why}`);
