/** Connections of load balancers, which begin with a header of the PROXY protocol. */
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAddress } from '../../../../core/net/address/index.ts';
import type { Handler } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { type ProxyVersion, proxyHeader } from '../../../../edge/http/transport/proxy-protocol.ts';
import { unverified } from '../../../support/tls-client.ts';
import { until } from '../../../support/until.ts';
import { dial, GET, HOST, type Rig, type RigOptions, readAll, withServer } from './rig.ts';

/** Answers with the client. */
const handler: Handler = (exchange) => {
  const { address, port, serverName, tlsVersion } = exchange.client;
  const client = `${address} ${port} "${serverName}" "${tlsVersion}"`;
  exchange.answer(new ReadyAnswer(200, ['content-type', 'text/plain'], Buffer.from(client)));
};

const TARGET = { address: parseAddress('203.0.113.1')!, port: 443 };
const headerFor = (version: ProxyVersion, address: string | null): Buffer =>
  proxyHeader(version, address === null ? null : { address: parseAddress(address)!, port: 1234 }, TARGET);

/** A socket that is closed before it was read resets its connection. */
const reset = (): string => '';

const bodyOf = (response: string): string => response.slice(response.indexOf('\r\n\r\n') + 4);

/** Sends `header` in pieces of `piece` bytes, then a request over TLS. */
async function visitTls(port: number, header: Buffer, piece: number, name: string | undefined = HOST): Promise<string> {
  const raw = await dial(port);
  for (let from = 0; from < header.length; from += piece) {
    raw.write(header.subarray(from, from + piece));
    await new Promise((done) => setImmediate(done));
  }
  const socket = connectTls(unverified({ socket: raw, servername: name, ALPNProtocols: ['http/1.1'] }));
  socket.on('error', () => {});
  socket.write(GET);
  // A refused handshake is an error.
  return bodyOf(await readAll(socket).catch(reset));
}

async function visitClear(port: number, header: Buffer, piece: number): Promise<string> {
  const socket = await dial(port);
  const bytes = Buffer.concat([header, Buffer.from(GET)]);
  for (let from = 0; from < bytes.length; from += piece) {
    socket.write(bytes.subarray(from, from + piece));
    await new Promise((done) => setImmediate(done));
  }
  return bodyOf(await readAll(socket));
}

for (const tls of ['auto', 'node'] as const) {
  const test = suite(`PROXY protocol at the server, tls: ${tls}`);
  const withBalancer = (use: (rig: Rig) => Promise<void>, options: RigOptions = {}): Promise<void> =>
    withServer(use, { tls, handler, sendsProxyHeader: (address) => address === '127.0.0.1', ...options });

  test('the client is the one that the header states, over TLS and without', async () => {
    await withBalancer(async ({ tlsPort, clearPort }) => {
      for (const version of ['v1', 'v2'] as const)
        for (const piece of [1, 7, 1000])
          for (const address of ['198.51.100.7', '2001:db8::7']) {
            const header = headerFor(version, address);
            assert.is(await visitTls(tlsPort, header, piece), `${address} 1234 "${HOST}" "TLSv1.3"`);
            assert.is(await visitClear(clearPort, header, piece), `${address} 1234 "" ""`);
          }
    });
  });

  test('a header without a client leaves the address of the connection', async () => {
    await withBalancer(async ({ tlsPort, clearPort }) => {
      for (const version of ['v1', 'v2'] as const) {
        assert.match(await visitTls(tlsPort, headerFor(version, null), 1000), /^127\.0\.0\.1 \d+ "site\.test"/);
        assert.match(await visitClear(clearPort, headerFor(version, null), 1000), /^127\.0\.0\.1 \d+ ""/);
      }
    });
  });

  test('a connection without a valid header is closed and counted', async () => {
    await withBalancer(async ({ tlsPort, clearPort, counters }) => {
      let closed = 0;
      for (const port of [tlsPort, clearPort])
        for (const bytes of [
          GET,
          'PROXY TCP4 192.0.2.1 203.0.113.1 1 99999\r\n',
          `PROXY UNKNOWN ${'a'.repeat(500)}`,
          Buffer.from('160301004c', 'hex'),
        ]) {
          const socket = await dial(port);
          socket.write(bytes);
          assert.is(await readAll(socket).catch(reset), '');
          closed++;
          await until(() => counters.get('bad_proxy_header') === closed, `${closed} are counted`);
        }
      for (const port of [tlsPort, clearPort]) {
        const socket = await dial(port);
        socket.end('PROXY TCP4 192.');
        assert.is(await readAll(socket).catch(reset), '');
      }
      await until(() => counters.get('bad_proxy_header') === closed + 2, 'half a header is counted');
      await until(() => counters.get('closed') === closed + 2, 'all are closed');
      assert.match(await visitTls(tlsPort, headerFor('v2', '198.51.100.7'), 1000), /^198\.51\.100\.7 /);
    });
  });

  test('a connection that sends no whole header in time is closed', async () => {
    await withBalancer(
      async ({ tlsPort, clearPort, counters }) => {
        for (const port of [tlsPort, clearPort]) {
          const socket = await dial(port);
          socket.write('PROXY TCP4 192.0.2.1');
          assert.is(await readAll(socket).catch(reset), '');
        }
        await until(() => counters.get('handshake_timeout') === 2, 'both are counted');
      },
      { limits: { handshakeTimeout: 300 } },
    );
  });

  test('a header from another address is no header', async () => {
    await withBalancer(
      async ({ clearPort, tlsPort, counters }) => {
        const socket = await dial(clearPort);
        socket.write(Buffer.concat([headerFor('v1', '198.51.100.7'), Buffer.from(GET)]));
        assert.match(await readAll(socket), /^HTTP\/1\.1 501 /);
        assert.is(await visitTls(tlsPort, headerFor('v1', '198.51.100.7'), 1000), '');
        assert.is(counters.get('bad_proxy_header'), 0);
      },
      { sendsProxyHeader: (address) => address === '192.0.2.1' },
    );
  });

  test('connections count for the client that the header states', async () => {
    await withBalancer(
      async ({ clearPort, tlsPort, counters }) => {
        const held = [];
        for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
          const socket = await dial(clearPort);
          socket.write(headerFor('v2', address));
          socket.write('GET / HTTP/1.1\r\n');
          held.push(socket);
          await until(() => counters.get('http1') === held.length, 'its header is read');
        }
        const again = await dial(clearPort);
        again.write(headerFor('v2', '198.51.100.1'));
        assert.is(await readAll(again), '');
        assert.is(await visitTls(tlsPort, headerFor('v2', '198.51.100.1'), 1000), '');
        assert.is(counters.get('refused_address'), 2);
        for (const socket of held) socket.destroy();
        await until(() => counters.get('closed') === 5, 'all are closed');
        assert.match(await visitTls(tlsPort, headerFor('v2', '198.51.100.1'), 1000), /^198\.51\.100\.1 /);
      },
      { limits: { maxPerAddress: 1 } },
    );
  });

  test('a client of node:tls, without a server name the edge knows, has its header read once', async () => {
    await withBalancer(async ({ tlsPort, counters }) => {
      assert.is(await visitTls(tlsPort, headerFor('v1', '198.51.100.7'), 1000, 'unknown.test'), '');
      assert.is(counters.get('unrecognized_name'), 1);
      assert.is(counters.get('bad_proxy_header'), 0);
    });
  });

  test.run();
}
