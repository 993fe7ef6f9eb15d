/**
 * DNS over HTTPS as real clients see it: curl with plain HTTP, kdig and dig through TLS and HTTP/2.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { readExposition, sampleOf } from '../../support/exposition.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { type HttpsFront, startHttpsFront } from './https-front.ts';
import { request, server } from './transcript.ts';

const CLIENTS = ['kdig', 'dig'] as const;
const APEX = 'doh.test';

const test = suite<{ daemon: Borrowed; front: HttpsFront; folder: string }>('transcripts: DNS over HTTPS');

test.before(async (context) => {
  const daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const zone = await daemon.api.createDomain(APEX);
  await daemon.api.createRecord(zone, 'www', 'A', '192.0.2.1', 120);
  for (let i = 0; i < 20; i++) await daemon.api.createRecord(zone, 'long', 'TXT', `"${String(i).padStart(200, 'x')}"`);
  const front = await startHttpsFront(daemon.adminPort);
  Object.assign(context, { daemon, front, folder: temporaryFolder('doh') });
});
test.after(async ({ daemon, front }) => {
  await front.close();
  await daemon.giveBack();
});

for (const program of CLIENTS) {
  test(`${program} +https and +https-get: the same answer by POST and by GET`, async ({ front }) => {
    for (const [method, flag] of [
      ['POST', '+https'],
      ['GET', '+https-get'],
    ] as const) {
      const before = front.seen.length;
      const flags = method === 'GET' ? ['+https', flag] : [flag];
      const {
        status,
        flags: bits,
        answer,
        id,
      } = await request(program, [...server(program, front.port), ...flags, `www.${APEX}`, 'A']);
      assert.equal([status, bits.includes('aa')], ['NOERROR', true]);
      // So that caches see one query (RFC 8484 4.1); dig leaves its own ID in place.
      if (program === 'kdig') assert.is(id, 0);
      assert.equal(answer, [{ name: `www.${APEX}.`, ttl: 120, class: 'IN', type: 'A', data: '192.0.2.1' }]);
      assert.equal(front.seen.slice(before), [`${method} /dns-query`]);
    }
  });

  test(`${program} +https: NXDOMAIN, REFUSED, long answers without TC`, async ({ front }) => {
    const ask = (name: string, type: string) =>
      request(program, [...server(program, front.port), '+https', name, type]);
    const missing = await ask(`missing.${APEX}`, 'A');
    assert.equal([missing.status, missing.authority[0].type], ['NXDOMAIN', 'SOA']);
    assert.is((await ask('elsewhere.test', 'A')).status, 'REFUSED');
    const long = await ask(`long.${APEX}`, 'TXT');
    assert.equal([long.status, long.flags.includes('tc'), long.answer.length], ['NOERROR', false, 20]);
  });
}

test('curl: GET and POST of bytes, over plain HTTP', async ({ daemon, folder }) => {
  const url = `http://127.0.0.1:${daemon.adminPort}/dns-query`;
  const query = encodeQuery({ name: parseName(`www.${APEX}.`), type: TYPE.A, class: 1 }, 0);
  const [sent, got] = [join(folder, 'query'), join(folder, 'response')];
  writeFileSync(sent, query);
  const shown = '%{http_code} %{content_type} %header{cache-control}';
  for (const args of [
    [`${url}?dns=${Buffer.from(query).toString('base64url')}`],
    [url, '--data-binary', `@${sent}`, '-H', 'Content-Type: application/dns-message'],
  ]) {
    const { output } = await runProgram('curl', ['-sS', '-m', '5', '-o', got, '-w', shown, ...args]);
    assert.is(output, '200 application/dns-message max-age=120');
    assert.equal([...decodeMessage(readFileSync(got)).answer[0].rdata], [192, 0, 2, 1]);
  }
});

test('the metrics distinguish HTTPS from other transports', async ({ daemon, front }) => {
  const of = async (transport: string): Promise<number> => {
    const { text } = await daemon.api.call('GET', '/metrics');
    return sampleOf(readExposition(text, 'prometheus'), 'waypost_dns_queries_total', { transport, family: 'ipv4' });
  };
  const before = await of('https');
  await request('kdig', [...server('kdig', front.port), '+https', `www.${APEX}`, 'A']);
  assert.is(await of('https'), before + 1);
});

const why = whyNotPrograms('kdig', 'dig', 'curl');
if (why === null) test.run();
else console.log(`skipped: transcripts of DNS over HTTPS, ${why}`);
