/** The engine against RFC 9113 and RFC 7541, a row for each requirement that a client can put to the test. */
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_CODE } from '../../../edge/http2/protocol.ts';
import { RawClient } from './client.ts';
import { headers, ping, windowUpdate } from './frames.ts';
import { bodyOf, request, statusOf, type Target } from './row.ts';
import { type ConformanceServer, startServer } from './server.ts';
import { LARGE_OCTETS } from './site.ts';
import { ROWS, runRows, titleOf, type Verdict } from './table.ts';

const test = suite('conformance');
let server: ConformanceServer;
let verdicts: readonly Promise<Verdict>[] = [];

test.before(async () => {
  server = await startServer();
  const target: Target = {
    address: server.cleartext,
    drain: (client) => server.sessionOf(client).drain(),
    destroy: (client, error) => server.sessionOf(client).destroy(ERROR_CODE[error]),
  };
  verdicts = runRows(ROWS, target, false);
});

test.after(() => server.close());

ROWS.forEach((row, i) => {
  test(titleOf(row), async () => {
    const failure = await verdicts[i];
    if (failure !== undefined) throw failure;
  });
});

test('each requirement has a row of its own', () => {
  const titles = ROWS.map(titleOf);
  assert.is(new Set(titles).size, titles.length);
});

test('over TLS: chosen by ALPN, answered, and an error is told before the end', async () => {
  const client = await RawClient.connect(server.tls);
  await client.handshake();
  client.send(headers(1, request({ ':scheme': 'https', ':path': '/tell' })));
  const stream = await client.answered(1);
  assert.is(statusOf(stream), '200');
  assert.is((JSON.parse(bodyOf(stream)) as { scheme: string }).scheme, 'https');
  client.send(ping('1234567'));
  await client.closed();
  assert.equal(client.goaways, [{ lastStreamId: 1, error: 'FRAME_SIZE_ERROR' }]);
  client.destroy();
});

test('over TLS: nothing is lost of a body that is sent as the connection drains', async () => {
  const client = await RawClient.connect(server.tls, { settings: [[4, LARGE_OCTETS]] });
  await client.handshake();
  client.send(headers(1, request({ ':scheme': 'https', ':path': '/large' })));
  await client.answered(1, 65_535);
  server.sessionOf(client).drain();
  client.send(windowUpdate(0, LARGE_OCTETS));
  await client.closed();
  assert.is(client.stream(1).octets, LARGE_OCTETS);
  assert.ok(client.stream(1).isEnded);
  client.destroy();
});

test('over TLS: a client that leaves during the handshake of HTTP/2 leaves no session', async () => {
  const socket = connect({
    port: server.tls.port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  await new Promise<void>((done) => socket.once('data', () => done()));
  assert.is(socket.alpnProtocol, 'h2');
  socket.destroy();
  await new Promise<void>((done) => socket.once('close', () => done()));
});

test('handlers failed only where a row has them fail', () => {
  assert.equal(server.failures.map(String), ['Error: The handler of the test fails.']);
});

test.run();
