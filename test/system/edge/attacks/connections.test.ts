/** Attacks before any HTTP: handshakes that stall, connections without end. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Host } from '../host/host.ts';
import { Attacker, closed, dial, request, several } from './attacker.ts';
import { counted, neighbour, SHORT, startTarget } from './rig.ts';

const DRIP_MS = 100;
/** Other than the attackers' usual one, and the normal clients'. */
const OTHER = '127.0.0.3';
/**
 * Attackers' connections that are refused at least: on a busy machine the first may have ended when
 * the last come.
 */
const MORE = 100;
/** Connections of the normal clients. */
const NORMAL = 2;

const test = suite<{ host: Host }>('connections');
test.before(async (context) => {
  context.host = await startTarget();
});
test.after(async ({ host }) => {
  assert.is(await host.stop(), 0, host.output());
});

/** The begin of a ClientHello that announces 512 bytes. */
const HELLO = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]);

test('TLS handshakes that stall, or are slow', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(90, async (i) => {
        const socket = await dial(host);
        if (i % 3 === 1) socket.write(HELLO);
        const end = closed(socket);
        for (let at = 0; i % 3 === 2 && !socket.destroyed && at < HELLO.length; at++) {
          socket.write(HELLO.subarray(at, at + 1));
          await sleep(DRIP_MS);
        }
        await end;
      });
    }),
  );
  assert.is(added('server_handshake_timeout'), 90);
});

test('cleartext connections without a protocol', async ({ host }) => {
  const begins = ['', 'P', 'PRI * HTTP/2.0\r\n\r\nSM\r\n'];
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(60, async (i) => {
        const socket = await dial(host, { speaks: 'clear' });
        socket.write(begins[i % begins.length]);
        await closed(socket);
      });
    }),
  );
  assert.is(added('server_handshake_timeout'), 60);
});

test('bytes that are no TLS', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(100, async (i) => {
        const socket = await dial(host);
        socket.write(Buffer.alloc(5000, i));
        await closed(socket);
      });
    }),
  );
  assert.is(added('server_handshake_failed') + added('server_handshake_timeout'), 100);
});

test('more connections of an address than it may have: other addresses are served', async ({ host }) => {
  const allowed = SHORT.server.maxPerAddress as number;
  const added = await counted(host, () =>
    neighbour(host, async () => {
      const state = { most: 0, isOver: false };
      const watch = async (): Promise<void> => {
        while (!state.isOver) state.most = Math.max(state.most, (await host.counters()).connections);
      };
      const watching = watch();
      await several(2 * allowed + MORE, async () => {
        const socket = connect({ port: host.tlsPort, host: '127.0.0.1', localAddress: OTHER });
        socket.on('error', () => {});
        await closed(socket);
      });
      state.isOver = true;
      await watching;
      assert.ok(state.most <= allowed + NORMAL, `${state.most} at a time`);
    }),
  );
  assert.ok(added('server_refused_address') >= MORE, `${added('server_refused_address')} were refused`);
});

test('short connections', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      for (let round = 0; round < 20; round++)
        await several(50, async (i) => {
          const socket = await dial(host, { speaks: i % 2 === 0 ? undefined : 'clear' });
          if (i % 4 < 2) socket.resetAndDestroy();
          else socket.end();
          await closed(socket);
        });
    }),
  );
  // A connection that was reset before it was taken is none.
  assert.ok(added('server_closed') >= 500);
});

test('clients that vanish are detected: TCP keep-alive is on, with TLS and without', async ({ host }) => {
  // No limit ends a connection whose request is worked on.
  const attacker = await Attacker.connect(host);
  attacker.send(request(0, '/hold'));
  const clear = await dial(host, { speaks: 'clear' });
  clear.write('GET /hold HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const sockets = [attacker.socket, clear];
  for (const [i, port] of [host.tlsPort, host.clearPort].entries()) {
    await host.until('the connection is taken', ({ connections }) => connections === sockets.length);
    const client = sockets[i].localPort as number;
    assert.is(await timerOf(port, client), KEEP_ALIVE_TIMER, `of port ${port}`);
  }
  attacker.socket.destroy();
  clear.resetAndDestroy();
});

/**
 * In /proc/net/tcp: any timer but those of data in flight, and of what waits to be acknowledged.
 */
const KEEP_ALIVE_TIMER = '02';
/** There, too: connections of other addresses with the same ports may have ended before. */
const ESTABLISHED = '01';

/**
 * Of the server's side of a connection between two ports, when all that was sent has been
 * acknowledged.
 */
async function timerOf(server: number, client: number): Promise<string | undefined> {
  const hexadecimal = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  let timer: string | undefined;
  for (let i = 0; i < 20; i++) {
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
      const [, local, remote, state, , when] = line.trim().split(/ +/);
      if (state !== ESTABLISHED) continue;
      if (local?.endsWith(hexadecimal(server)) && remote.endsWith(hexadecimal(client))) timer = when.slice(0, 2);
    }
    if (timer === KEEP_ALIVE_TIMER) break;
    await sleep(DRIP_MS);
  }
  return timer;
}

test.run();
