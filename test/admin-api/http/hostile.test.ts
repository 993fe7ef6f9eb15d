/**
 * Malformed requests: none reaches the handler, and each ends its connection.
 * test/system/admin-api/http/uws-timer.test.ts sends those that end by the timer of uWebSockets.js.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../../support/raw-http.ts';
import { BODIES, CASES, get, type HostileServer, runCases, startHostileServer } from './hostile.ts';
import { forEachTransport } from './transports.ts';

await forEachTransport((make, name) => {
  const test = suite<{ server: HostileServer }>(`hostile ${name}`);
  test.before(async (context) => {
    context.server = await startHostileServer(make);
  });
  test.after(({ server }) => server.listening.close());

  test('invalid requests are rejected or cut off, and never reach a handler', async ({ server }) => {
    const cases = CASES.filter(([, , , , end]) => name === 'node' || end !== 'timer');
    assert.equal(await runCases(server.listening.port, cases, name), []);
    assert.equal(server.seen, []);
  });

  test('invalid bodies are rejected or cut off, and never reach a handler', async ({ server }) => {
    assert.equal(await runCases(server.listening.port, BODIES, name), []);
    assert.equal(server.bodies, []);
  });

  test('afterwards no connection remains open, and valid requests are served', async ({ server }) => {
    assert.is(server.listening.connections(), 0);
    const { status, text } = await exchange(server.listening.port, get('Connection: close\r\n'));
    assert.is(status, 200);
    assert.ok(text.endsWith('served'));
  });

  test.run();
});
