/**
 * Sessions are resumed over HTTP/2, by any server with the same keys, across a change of keys, and
 * under their own name alone.
 */
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextTicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import { dialTls, GET, HOST, OTHER_HOST, type Rig, readAll, withServer } from '../server/rig.ts';

/** The client's preface and empty SETTINGS (RFC 9113 section 3.4). */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

type Protocol = 'h2' | 'http/1.1';

interface Visit {
  readonly isResumed: boolean;
  readonly session: Buffer;
}

/** One connection that was served, and what resumes it. */
async function visit(port: number, protocol: Protocol, options: object): Promise<Visit> {
  const socket: TLSSocket = await dialTls(port, { ALPNProtocols: [protocol], ...options });
  assert.is(socket.alpnProtocol, protocol);
  let session: Buffer | undefined;
  socket.on('session', (bytes: Buffer) => {
    session = bytes;
  });
  const isResumed = socket.isSessionReused();
  socket.write(protocol === 'h2' ? PREFACE : GET);
  if (protocol === 'h2') await once(socket, 'data');
  else await readAll(socket);
  session ??= socket.getSession();
  socket.destroy();
  return { isResumed, session: session as Buffer };
}

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
  const again = (port: number, protocol: Protocol, session?: Buffer): Promise<Visit> =>
    visit(port, protocol, { maxVersion, session });

  test(`${maxVersion}: another server with the same keys resumes`, async () => {
    const tickets = nextTicketKeys(null);
    await withServer(
      (rig) =>
        withServer(
          async (other) => {
            const first = await again(rig.tlsPort, 'h2');
            assert.is(first.isResumed, false);
            assert.is((await again(other.tlsPort, 'h2', first.session)).isResumed, true);
            assert.equal(
              [counted(rig), counted(other)],
              [
                [1, 0],
                [0, 1],
              ],
            );
          },
          { tickets },
        ),
      { tickets },
    );
  });

  test(`${maxVersion}: a ticket of the previous key is accepted and renewed, one of an older key is not`, async () => {
    const keys = nextTicketKeys(null);
    await withServer(
      async ({ server, tlsPort }) => {
        const first = await again(tlsPort, 'h2');
        const next = nextTicketKeys(keys);
        server.setTickets(next);
        const second = await again(tlsPort, 'h2', first.session);
        assert.is(second.isResumed, true);
        server.setTickets(nextTicketKeys(next));
        assert.is((await again(tlsPort, 'h2', first.session)).isResumed, false, 'its key is gone');
        assert.is((await again(tlsPort, 'h2', second.session)).isResumed, true, 'it was renewed');
      },
      { tickets: keys },
    );
  });

  test(`${maxVersion}: a ticket of one name is not resumed under another (RFC 6066 section 3)`, async () => {
    await withServer(async ({ tlsPort }) => {
      const first = await again(tlsPort, 'h2');
      const under = (servername: string, session: Buffer): Promise<Visit> =>
        visit(tlsPort, 'h2', { maxVersion, session, servername });
      const other = await under(OTHER_HOST, first.session);
      assert.is(other.isResumed, false);
      assert.is((await under(OTHER_HOST, other.session)).isResumed, true, 'its own ticket is');
      assert.is((await under(HOST, other.session)).isResumed, false);
      assert.is((await again(tlsPort, 'h2', first.session)).isResumed, true);
    });
  });

  test(`${maxVersion}: node:tls, which serves unusual clients, resumes nothing`, async () => {
    await withServer(
      async ({ tlsPort }) => {
        const first = await again(tlsPort, 'h2');
        assert.is((await again(tlsPort, 'h2', first.session)).isResumed, false);
        const other = await visit(tlsPort, 'h2', { maxVersion, session: first.session, servername: OTHER_HOST });
        assert.is(other.isResumed, false);
      },
      { tls: 'node' },
    );
  });

  test(`${maxVersion}: HTTP/2 and HTTP/1.1 resume each other's sessions`, async () => {
    await withServer(async ({ tlsPort }) => {
      const two = await again(tlsPort, 'h2');
      const session = await again(tlsPort, 'http/1.1', two.session);
      assert.is(session.isResumed, true);
      assert.is((await again(tlsPort, 'h2', session.session)).isResumed, true);
    });
  });
}

test('a changed ticket is ignored: the handshake is a full one', async () => {
  await withServer(async (rig) => {
    const { session } = await visit(rig.tlsPort, 'h2', {});
    const changed = Buffer.from(session);
    // Somewhere in the sealed part, which is most of it.
    for (let at = 200; at < changed.length - 200; at += 16) changed[at] ^= 1;
    const next = await visit(rig.tlsPort, 'h2', { session: changed }).catch(() => null);
    if (next !== null) assert.is(next.isResumed, false);
    assert.equal(counted(rig)[1], 0);
  });
});

const counted = ({ counters }: Rig): number[] => [counters.get('handshakes_full'), counters.get('handshakes_resumed')];

test.run();
