/**
 * The engine against RFC 9113 and RFC 7541, a row for each requirement that a client can put to the
 * test.
 */
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_CODE } from '../../../edge/http/http2/protocol.ts';
import { RawClient } from './client.ts';
import { headers, windowUpdate } from './frames.ts';
import { bodyOf, request, statusOf, type Target } from './row.ts';
import { type ConformanceServer, startServer } from './server.ts';
import { LARGE_BYTES } from './site.ts';
import { ROWS, runRows, titleOf, type Verdict } from './table.ts';

const test = suite('conformance');
let server: ConformanceServer;
const TRANSPORTS = ['cleartext', 'tls', 'nativeTls'] as const;
let verdicts: readonly (readonly Promise<Verdict>[])[] = [];

test.before(async () => {
  server = await startServer();
  verdicts = TRANSPORTS.map((transport) => {
    const target: Target = {
      address: server[transport],
      drain: (client) => server.sessionOf(client).drain(),
      destroy: (client, error) => server.sessionOf(client).destroy(ERROR_CODE[error]),
    };
    return runRows(ROWS, target, false);
  });
});

test.after(() => server.close());

TRANSPORTS.forEach((transport, t) => {
  ROWS.forEach((row, i) => {
    test(`${transport}, ${titleOf(row)}`, async () => {
      const failure = await verdicts[t][i];
      if (failure !== undefined) throw failure;
    });
  });
});

test('each requirement has a row of its own', () => {
  const titles = ROWS.map(titleOf);
  assert.is(new Set(titles).size, titles.length);
});

test('over TLS: chosen by ALPN, and the scheme of a target is that of the connection', async () => {
  const client = await RawClient.connect(server.tls);
  assert.is((client.socket as TLSSocket).alpnProtocol, 'h2');
  await client.handshake();
  client.send(headers(1, request({ ':scheme': 'https', ':path': '/tell' })));
  const stream = await client.answered(1);
  assert.is(statusOf(stream), '200');
  assert.is((JSON.parse(bodyOf(stream)) as { scheme: string }).scheme, 'https');
  client.send(headers(3, request({ ':scheme': 'http', ':path': '/tell' })));
  assert.is(statusOf(await client.answered(3)), '421');
  client.destroy();
});

test('over TLS: a body sent while the connection drains is complete', async () => {
  const client = await RawClient.connect(server.tls, { settings: [[4, LARGE_BYTES]] });
  await client.handshake();
  client.send(headers(1, request({ ':scheme': 'https', ':path': '/large' })));
  await client.answered(1, 65_535);
  server.sessionOf(client).drain();
  client.send(windowUpdate(0, LARGE_BYTES));
  await client.closed();
  assert.is(client.stream(1).bytes, LARGE_BYTES);
  assert.ok(client.stream(1).isEnded);
  client.destroy();
});

test('handlers failed only in the rows that expect it', () => {
  assert.equal(
    server.failures.map(String),
    TRANSPORTS.map(() => 'Error: The handler of the test fails.'),
  );
});

test('no session of disconnected clients is left', async () => {
  await Promise.all(verdicts.flat());
  await server.empty();
  assert.is(server.open, 0);
});

test.run();
