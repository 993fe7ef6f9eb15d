/** Origins that get the PROXY protocol: a connection for each request begins with its visitor. */
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAddress } from '../../../core/net/address/index.ts';
import { type ProxyVersion, proxyHeader, readProxyHeader } from '../../../edge/http/transport/proxy-protocol.ts';
import type { OriginRequest } from '../../../edge/origin/origin.ts';
import { OriginCancel } from '../../../edge/origin/origin.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { until } from '../../support/until.ts';
import { bodyText, client, faultOf, listening, OK, request, saying, seen, withOrigin } from './rig.ts';

const visitor = (address: string, port = 1234) => ({ address: parseAddress(address)!, port });

function visit(port: number, proxyProtocol: ProxyVersion, more: Partial<OriginRequest> = {}): OriginRequest {
  const origin = { host: '127.0.0.1', port, protocol: 'http', proxyProtocol } as const;
  return request(port, { origin, source: visitor('198.51.100.7'), ...more });
}

for (const version of ['v1', 'v2'] as const) {
  test(`${version}: a connection begins with the visitor of its request, and carries no other`, () =>
    withOrigin(saying(OK), async (origin, { fetch, counters }) => {
      const sources = [visitor('198.51.100.7'), visitor('198.51.100.7'), visitor('2001:db8::7', 5), undefined];
      for (const source of sources) await seen(fetch(visit(origin.port, version, { source })));
      assert.is(origin.accepted, sources.length);
      const target = visitor('127.0.0.1', origin.port);
      for (const [i, source] of sources.entries()) {
        const header = proxyHeader(version, source ?? null, target).toString('latin1');
        assert.is(origin.received[i].slice(0, header.length), header);
        assert.match(origin.received[i].slice(header.length), /^GET \/ HTTP\/1\.1\r\n/);
        assert.match(origin.received[i], /\r\nconnection: close\r\n/);
      }
      await until(() => counters.open === 0, 'no connection is left');
    }));

  test(`${version}: requests beyond the connections wait, and get one of their own`, () =>
    withOrigin(
      saying(OK),
      async (origin, { fetch, counters }) => {
        const addresses = Array.from({ length: 20 }, (_, i) => `198.51.100.${i}`);
        const responses = addresses.map((address) =>
          fetch(visit(origin.port, version, { source: visitor(address), path: `/${address}` })),
        );
        for (const response of responses) assert.is((await seen(response)).body, 'ok');
        assert.is(origin.accepted, addresses.length);
        for (const text of origin.received) {
          const header = readProxyHeader(Buffer.from(text, 'latin1'))!;
          const path = /GET \/(\S+)/.exec(text)![1];
          assert.equal(header.source?.address, parseAddress(path));
        }
        await until(() => counters.open === 0, 'no connection is left');
      },
      { limits: { connections: 3 } },
    ));
}

test('a request with a body, and an upgrade, have the header first', () =>
  withOrigin(
    saying('HTTP/1.1 101 Up\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    async (origin, { fetch }) => {
      const { tunnel } = await fetch(visit(origin.port, 'v1', { protocol: 'websocket' }));
      assert.match(origin.received[0], /^PROXY TCP4 198\.51\.100\.7 127\.0\.0\.1 1234 \d+\r\nGET /);
      tunnel?.destroy();
    },
  ));

test('a visitor who leaves while its connection is opened takes it along', () =>
  withOrigin(saying(OK), async (origin, { fetch, counters }) => {
    const cancel = new OriginCancel();
    const response = fetch(visit(origin.port, 'v1', { cancel }));
    cancel.cancel();
    assert.is(await faultOf(response), 'aborted');
    assert.is(counters.open, 0);
    assert.is((await seen(fetch(visit(origin.port, 'v1')))).body, 'ok');
  }));

test('with TLS, the header goes before the handshake', async () => {
  const key = ecKey();
  const cert = certificate({ name: 'origin.test', key, dnsNames: ['origin.test'] });
  const received: string[] = [];
  const server = createServer((raw) => {
    raw.on('error', () => {});
    raw.once('data', (bytes) => {
      const header = readProxyHeader(bytes)!;
      received.push(bytes.toString('latin1', 0, header.length));
      raw.pause();
      raw.unshift(bytes.subarray(header.length));
      const socket = new TLSSocket(raw, { isServer: true, key: pemOfKey(key), cert });
      socket.on('error', () => {});
      socket.on('data', () => socket.write(OK));
    });
  });
  const port = await listening(server, '127.0.0.1');
  const its = client({ ca: cert });
  try {
    const origin = { host: '127.0.0.1', port, protocol: 'https', serverName: 'origin.test' } as const;
    for (const address of ['198.51.100.1', '198.51.100.2']) {
      const more = { origin: { ...origin, proxyProtocol: 'v1' as const }, source: visitor(address) };
      const response = await its.fetch(request(port, more));
      assert.is(await bodyText(response.body), 'ok');
    }
    assert.equal(received, [
      `PROXY TCP4 198.51.100.1 127.0.0.1 1234 ${port}\r\n`,
      `PROXY TCP4 198.51.100.2 127.0.0.1 1234 ${port}\r\n`,
    ]);
    const wrong = { origin: { ...origin, serverName: 'other.test', proxyProtocol: 'v1' as const } };
    assert.is(await faultOf(its.fetch(request(port, wrong))), 'tls');
    await until(() => its.counters.open === 0, 'no connection is left');
  } finally {
    await its.close();
    server.close();
  }
});

test.run();
