/** Connections that the timer of uWebSockets.js closes after 8 to 12 s. All are opened at once. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Listening } from '../../../../admin-api/http/transport.ts';
import { CASES, type HostileServer, runCases, startHostileServer } from '../../../admin-api/http/hostile.ts';
import { endsIdleConnection, endsUnreadBodies } from '../../../admin-api/http/timed-ends.ts';
import { forEachTransport } from '../../../admin-api/http/transports.ts';

await forEachTransport((make, name) => {
  if (name === 'node') return;
  const test = suite('timer of uWebSockets.js');
  let server: HostileServer;
  let listening: Listening;
  let malformed: Promise<string[]>;
  let unread: Promise<void>;
  let idle: Promise<void>;

  test.before(async () => {
    server = await startHostileServer(make);
    const position = { address: '127.0.0.1', port: 0 };
    listening = await make().listen(position, async () => ({ status: 200, headers: {}, body: 'unread' }));
    const cases = CASES.filter(([, , , , end]) => end === 'timer');
    malformed = runCases(server.listening.port, cases, name);
    unread = endsUnreadBodies(listening);
    idle = endsIdleConnection(listening);
    // Each test awaits its own.
    for (const pending of [malformed, unread, idle]) pending.catch(() => {});
  });
  test.after(() => Promise.all([server.listening.close(), listening.close()]).then(() => {}));

  test('invalid requests are cut off, and never reach a handler', async () => {
    assert.equal(await malformed, []);
    assert.equal(server.seen, []);
    assert.is(server.listening.connections(), 0);
  });

  test('an unread body does not keep a connection open forever', () => unread);

  test('closes an idle connection', async () => {
    await idle;
    await unread;
    assert.is(listening.connections(), 0);
  });

  test.run();
});
