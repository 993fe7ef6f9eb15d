/** Connections that a transport ends by its timers. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Listening } from '../../../admin-api/http/transport.ts';
import { connected, exchange } from '../../support/raw-http.ts';

const DEADLINE_MS = 60_000;

/** The handler responds to PUT /unread without reading the body. */
export async function endsUnreadBodies({ port }: Pick<Listening, 'port'>): Promise<void> {
  const lines = ['Content-Length: 1000000000\r\n', 'Transfer-Encoding: chunked\r\n', 'Content-Length: 100\r\n'];
  const sockets = await Promise.all(
    lines.map(async (line) => {
      const socket = await connected(port);
      socket.on('error', () => {}).resume();
      socket.write(`PUT /unread HTTP/1.1\r\nHost: a\r\n${line}\r\n`);
      return socket;
    }),
  );
  for (const end = performance.now() + DEADLINE_MS; sockets.some(({ closed }) => !closed); await sleep(10))
    assert.ok(performance.now() < end, 'a connection with an unread body stays open');
}

/** The handler responds to GET / with 200. */
export async function endsIdleConnection({ port }: Pick<Listening, 'port'>): Promise<void> {
  const { status, closed } = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', { ms: DEADLINE_MS });
  assert.equal([status, closed], [200, true]);
}
