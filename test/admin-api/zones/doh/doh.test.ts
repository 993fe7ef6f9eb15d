/** DNS over HTTPS (RFC 8484) over both HTTP transports. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HEADER_LENGTH, MAX_MESSAGE } from '../../../../core/dns/wire/header.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { type AnswerSettings, PLAIN } from '../../../../core/zone/answer/settings.ts';
import { decodeMessage } from '../../../support/message.ts';
import { exchange } from '../../../support/raw-http.ts';
import { testedTransports } from '../../transports.ts';
import { base64url, DNS_MESSAGE, type DohDaemon, get, type HttpAnswer, post, question, send, startDoh } from './rig.ts';

const APEX = 'example.net';

const ANSWERS: AnswerSettings = { ...PLAIN, cookies: 'on', cookieSecrets: [new Uint8Array(16)] };

/** Common tests of both methods. */
const METHODS = [
  ['GET', get],
  ['POST', post],
] as const;

function decoded({ status, headers, body }: HttpAnswer) {
  assert.is(status, 200, Buffer.from(body).toString());
  assert.is(headers.get('content-type'), DNS_MESSAGE);
  return decodeMessage(body);
}

const refusal = ({ status, code }: HttpAnswer): string => `${status} ${code}`;

/** The counts in a header: QDCOUNT, ANCOUNT, NSCOUNT, ARCOUNT. */
const withBytes = (message: Uint8Array, changes: Readonly<Record<number, number>>): Uint8Array => {
  const changed = message.slice();
  for (const [at, value] of Object.entries(changes)) changed[Number(at)] = value;
  return changed;
};

function everywhere(transport: 'uws' | 'node'): void {
  const test = suite<{ daemon: DohDaemon; zone: string }>(`doh over ${transport}`);
  test.before(async (context) => {
    const daemon = await startDoh(transport, {}, true, ANSWERS);
    const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: APEX } });
    const zone = `/api/v1/domains/${body.domain.id}`;
    for (const record of [
      { name: 'www', type: 'A', content: '192.0.2.1', ttl: 120 },
      { name: 'alias', type: 'CNAME', content: `www.${APEX}`, ttl: 60 },
      { name: 'to-nowhere', type: 'CNAME', content: `nothing.${APEX}`, ttl: 600 },
      { name: 'cut', type: 'NS', content: 'ns.example.org', ttl: 900 },
      ...Array.from({ length: 40 }, (_, i) => ({ name: 'long', type: 'TXT', content: `"${i} ${'x'.repeat(200)}"` })),
    ]) {
      const { status, text } = await daemon.call('POST', `${zone}/records`, { json: record });
      assert.is(status, 200, text);
    }
    Object.assign(context, { daemon, zone });
  });
  test.after(({ daemon }) => daemon.stop());

  test('GET and POST return the same answer without a token, with the ID of the query', async ({ daemon }) => {
    for (const [method, ask] of METHODS)
      for (const id of [0, 1, 65535]) {
        const message = decoded(await ask(daemon, question(`www.${APEX}.`, TYPE.A, { id })));
        assert.equal([message.header.id, message.header.qr, message.header.aa], [id, true, true], method);
        assert.equal(
          message.answer.map(({ ttl, rdata }) => [ttl, [...rdata]]),
          [[120, [192, 0, 2, 1]]],
        );
        assert.is(message.opt, undefined);
      }
  });

  test('the first bytes on the wire are those of RFC 8484 4.2.2', async ({ daemon }) => {
    const port = Number(new URL(daemon.url).port);
    const target = `/dns-query?dns=${base64url(question(`www.${APEX}.`))}`;
    const { text } = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /\r\ncontent-type: application\/dns-message\r\n/i);
    assert.match(text, /\r\ncache-control: max-age=120\r\n/i);
    const [, body] = text.split('\r\n\r\n');
    assert.is(body.length, Number(/content-length: (\d+)/i.exec(text)?.[1]));
    assert.is(decodeMessage(Buffer.from(body, 'latin1')).answer.length, 1);
  });

  test('HEAD: the header of GET, no body', async ({ daemon }) => {
    const port = Number(new URL(daemon.url).port);
    const target = `/dns-query?dns=${base64url(question(`www.${APEX}.`))}`;
    const { body } = await send(daemon, 'GET', target);
    const { text } = await exchange(port, `HEAD ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.match(text, new RegExp(`\\r\\ncontent-length: ${body.length}\\r\\n`, 'i'));
    assert.match(text, /\r\ncache-control: max-age=120\r\n/i);
    assert.ok(text.endsWith('\r\n\r\n'));
  });

  test('the cache lifetime follows the TTLs', async ({ daemon }) => {
    const of = async (name: string, type?: number) => {
      const answers = await Promise.all(METHODS.map(([, ask]) => ask(daemon, question(name, type))));
      const values = answers.map(({ headers }) => headers.get('cache-control'));
      assert.is(values[0], values[1]);
      return values[0];
    };
    assert.is(await of(`www.${APEX}.`), 'max-age=120');
    assert.is(await of(`alias.${APEX}.`), 'max-age=60');
    assert.is(await of(`${APEX}.`, TYPE.SOA), 'max-age=3600');
    // MINIMUM is 300 (RFC 2308).
    assert.is(await of(`nothing.${APEX}.`), 'max-age=300');
    assert.is(await of(`www.${APEX}.`, TYPE.AAAA), 'max-age=300');
    assert.is(await of(`to-nowhere.${APEX}.`), 'max-age=300');
    assert.is(await of(`below.cut.${APEX}.`), 'max-age=900');
    assert.is(await of('not-ours.example.'), 'no-store');
  });

  test('a response with a cookie is private', async ({ daemon }) => {
    const plain = question(`www.${APEX}.`, TYPE.A, { edns: 1232 });
    const cookie = Uint8Array.of(0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8);
    const asking = Buffer.concat([withBytes(plain, { [plain.length - 1]: cookie.length }), cookie]);
    for (const [, ask] of METHODS) {
      assert.is((await ask(daemon, plain)).headers.get('cache-control'), 'max-age=120');
      const answer = await ask(daemon, asking);
      assert.is(answer.headers.get('cache-control'), 'private, max-age=120');
      assert.equal([...(decoded(answer).opt?.options.subarray(0, 12) ?? [])], [0, 10, 0, 24, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
  });

  test('never truncates, whatever size the OPT record has', async ({ daemon }) => {
    for (const [method, ask] of METHODS)
      for (const edns of [0, 512, 1232]) {
        const answer = await ask(daemon, question(`long.${APEX}.`, TYPE.TXT, { edns }));
        const message = decoded(answer);
        assert.equal([message.header.tc, message.answer.length], [false, 40], method);
        assert.ok(answer.body.length > 8000);
        assert.is(message.opt?.size, edns === 0 ? undefined : 1232);
      }
  });

  test('a DNS error is a successful HTTP response', async ({ daemon }) => {
    const www = question(`www.${APEX}.`, TYPE.A, { id: 7 });
    const versioned = question(`www.${APEX}.`, TYPE.A, { edns: 1232 });
    for (const [, ask] of METHODS) {
      assert.is(decoded(await ask(daemon, question(`nothing.${APEX}.`))).rcode, RCODE.NXDOMAIN);
      assert.is(decoded(await ask(daemon, question('not-ours.example.'))).rcode, RCODE.REFUSED);
      // A missing second question; a name without an end; opcode STATUS.
      assert.is(decoded(await ask(daemon, withBytes(www, { 5: 2 }))).rcode, RCODE.FORMERR);
      assert.is(decoded(await ask(daemon, www.slice(0, 20))).rcode, RCODE.FORMERR);
      assert.is(decoded(await ask(daemon, withBytes(www, { 2: 2 << 3 }))).rcode, RCODE.NOTIMP);
      assert.is(decoded(await ask(daemon, withBytes(versioned, { [versioned.length - 5]: 1 }))).rcode, RCODE.BADVERS);
    }
  });

  test('rejects messages that need another transport: transfers, updates, signed messages', async ({ daemon }) => {
    const www = question(`www.${APEX}.`, TYPE.A, { id: 9 });
    const tsig = Uint8Array.of(0, 0, TYPE.TSIG, 0, 255, 0, 0, 0, 0, 0, 0);
    for (const [, ask] of METHODS) {
      for (const type of [TYPE.AXFR, TYPE.IXFR]) {
        const message = decoded(await ask(daemon, question(`${APEX}.`, type, { id: 9 })));
        assert.equal([message.rcode, message.header.id, message.answer.length], [RCODE.REFUSED, 9, 0]);
      }
      const update = decoded(await ask(daemon, withBytes(question(`${APEX}.`, TYPE.SOA), { 2: 5 << 3 })));
      assert.equal([update.rcode, update.header.opcode], [RCODE.REFUSED, 5]);
      const signed = Buffer.concat([withBytes(www, { 11: 1 }), tsig]);
      assert.is(decoded(await ask(daemon, signed)).rcode, RCODE.REFUSED);
    }
  });

  test('400: no message, or one that is not answered', async ({ daemon }) => {
    const www = question(`www.${APEX}.`);
    const response = withBytes(www, { 2: 0x80 });
    for (const [, ask] of METHODS)
      for (const message of [new Uint8Array(1), www.slice(0, HEADER_LENGTH - 1), response])
        assert.is(refusal(await ask(daemon, message)), '400 malformed_message');
    assert.is(refusal(await post(daemon, new Uint8Array(0))), '400 malformed_message');
    const good = base64url(www);
    for (const query of ['', '?', '?dns', '?dns=', '?DNS=AAAA', `?dns=${good}&dns=${good}`, `?other=${good}`])
      assert.is(refusal(await send(daemon, 'GET', `/dns-query${query}`)), '400 malformed_message', query);
    // Padding, the other alphabet, spaces, and an impossible length.
    for (const value of [
      `${good}=`,
      `${good}%3D%3D`,
      `+${good}`,
      `%2F${good}`,
      `${good}%20`,
      `${good.slice(0, 1)}`,
      'é',
    ])
      assert.is(refusal(await send(daemon, 'GET', `/dns-query?dns=${value}`)), '400 malformed_message', value);
  });

  test('405, 415 and OPTIONS', async ({ daemon }) => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await send(daemon, method, '/dns-query');
      assert.is(refusal(answer), '405 method_not_allowed');
      assert.is(answer.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
    }
    assert.is((await send(daemon, 'OPTIONS', '/dns-query')).headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
    const www = question(`www.${APEX}.`);
    for (const type of ['application/json', 'application/dns-json', 'application/dns', 'text/plain'])
      assert.is(refusal(await post(daemon, www, type)), '415 unsupported_media_type');
    assert.is((await post(daemon, www, 'Application/DNS-Message; charset=x')).status, 200);
  });

  test('413: more bytes than a DNS message, rejected before reading', async ({ daemon }) => {
    const www = question(`www.${APEX}.`);
    const padded = (length: number): Uint8Array => Buffer.concat([www, new Uint8Array(length - www.length)]);
    assert.is(refusal(await post(daemon, padded(MAX_MESSAGE + 1))), '413 body_too_large');
    assert.is(decoded(await post(daemon, padded(MAX_MESSAGE))).rcode, RCODE.FORMERR);
    const port = Number(new URL(daemon.url).port);
    const head = `POST /dns-query HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${DNS_MESSAGE}\r\nContent-Length: 10000000\r\n\r\n`;
    assert.is((await exchange(port, head, { done: (text) => text.includes('}') })).status, 413);
  });

  test('serves changes of the API at once', async ({ daemon, zone }) => {
    for (let i = 0; i < 20; i++) {
      const { status } = await daemon.call('POST', `${zone}/records`, {
        json: { name: `new${i}`, type: 'A', content: `192.0.2.${i}` },
      });
      assert.is(status, 200);
      const { answer } = decoded(await get(daemon, question(`new${i}.${APEX}.`)));
      assert.is(answer[0].rdata[3], i);
    }
  });

  test('the OpenAPI document describes both, without a token and without changes', async ({ daemon }) => {
    const { body } = await daemon.call('GET', '/api/v1/openapi.json', { token: null });
    const { get: byGet, post: byPost } = body.paths['/dns-query'];
    for (const operation of [byGet, byPost]) {
      assert.equal(operation.security as unknown, []);
      assert.equal(Object.keys(operation.responses['200'].content), [DNS_MESSAGE]);
      for (const status of [400, 413, 429])
        assert.ok(operation.responses[String(status)] !== undefined, String(status));
    }
    assert.equal(Object.keys(byPost.requestBody.content), [DNS_MESSAGE]);
    assert.is(byPost.responses['200'].headers['X-Waypost-Revision'], undefined);
    assert.is(byPost.responses['503'], undefined);
    assert.is(byGet.parameters[0].name as unknown, 'dns');
  });

  test('counts like other queries', async ({ daemon: { counters }, daemon }) => {
    const ipv4 = (code: number): number => counters.answers('https', 0, code);
    const before = [ipv4(RCODE.NOERROR), ipv4(RCODE.REFUSED)];
    for (const [, ask] of METHODS) {
      await ask(daemon, question(`www.${APEX}.`));
      await ask(daemon, question('not-ours.example.'));
    }
    assert.equal([ipv4(RCODE.NOERROR), ipv4(RCODE.REFUSED)], [before[0] + 2, before[1] + 2]);
  });

  test.run();

  const limited = suite(`doh over ${transport}, limited`);
  limited('429 for a client over its limit, before its body is read; the API is not affected', async () => {
    const daemon = await startDoh(transport, { WAYPOST_DNS_DOH_RATE_LIMIT: '3' });
    try {
      const www = question('www.example.');
      for (let i = 0; i < 3; i++) assert.is((await METHODS[i % 2][1](daemon, www)).status, 200);
      for (const [, ask] of METHODS) {
        const answer = await ask(daemon, www);
        assert.is(refusal(answer), '429 too_many_requests');
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      assert.is(refusal(await post(daemon, www, 'text/plain')), '429 too_many_requests');
      assert.is((await daemon.call('GET', '/api/v1/domains')).status, 200);
    } finally {
      await daemon.stop();
    }
  });

  limited('404 if DNS over HTTPS is off', async () => {
    const daemon = await startDoh(transport, {}, false);
    try {
      assert.is(refusal(await get(daemon, question('www.example.'))), '404 no_such_endpoint');
      assert.ok(daemon.api.routes.every(({ path }) => path !== '/dns-query'));
    } finally {
      await daemon.stop();
    }
  });
  limited.run();
}

for (const transport of await testedTransports('DoH')) everywhere(transport);
