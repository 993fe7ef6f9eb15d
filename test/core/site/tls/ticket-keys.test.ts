/**
 * Session tickets over new keys: a ticket of the last key resumes and is renewed, one of the key
 * before that is none.
 */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer, type Server } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { type TlsMaterial, watchCertificate } from '../../../../core/nameserver/tls-certificate.ts';
import { nextTicketKeys, type TicketKeys, takeTickets } from '../../../../core/site/tls/ticket-keys.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const PATIENCE_MS = 10_000;
const key = ecKey();
const cert = certificate({ name: 'tickets.test', key });

const test = suite<{ server: Server; port: number }>('session tickets');

const use = (server: Server, keys: TicketKeys): void => {
  server.setSecureContext({ cert, key: pemOfKey(key), ticketKeys: Buffer.from(keys.current) });
  takeTickets(server, keys);
};

test.before(async (context) => {
  context.server = createServer({ cert, key: pemOfKey(key) }, (socket) => {
    socket.on('error', () => {});
    // TLS 1.3 gives its tickets behind the handshake: who has read this has them.
    socket.write('.');
  });
  context.server.listen(0, '127.0.0.1');
  await once(context.server, 'listening');
  context.port = (context.server.address() as AddressInfo).port;
});
test.after(({ server }) => void server.close());

/** Connects once; whether the session was resumed, and the ticket that came. */
async function dial(port: number, version: 'TLSv1.2' | 'TLSv1.3', session?: Buffer): Promise<[boolean, Buffer]> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, session, maxVersion: version });
  let ticket: Buffer | undefined;
  socket.on('session', (bytes: Buffer) => {
    ticket = bytes;
  });
  await once(socket, 'data');
  // A resumed session of TLS 1.2 keeps its ticket unless it is given another.
  if (version === 'TLSv1.2') ticket ??= socket.getSession();
  await until(() => ticket !== undefined, 'a ticket', PATIENCE_MS);
  const reused = socket.isSessionReused();
  socket.destroy();
  return [reused, ticket!];
}

for (const version of ['TLSv1.3', 'TLSv1.2'] as const)
  test(`${version}: over one new key clients resume, over two they don't, unless they came between`, async ({
    server,
    port,
  }) => {
    const first = nextTicketKeys(null);
    use(server, first);
    const [fresh, old] = await dial(port, version);
    assert.is(fresh, false);
    assert.is((await dial(port, version, old))[0], true);
    const second = nextTicketKeys(first);
    use(server, second);
    const [resumed, renewed] = await dial(port, version, old);
    assert.is(resumed, true);
    use(server, nextTicketKeys(second));
    assert.is((await dial(port, version, old))[0], false);
    assert.is((await dial(port, version, renewed))[0], true);
  });

test('shared keys are sent with the certificate', () => {
  const folder = temporaryFolder('tickets');
  const files = { certificate: join(folder, 'dns.crt'), key: join(folder, 'dns.key') };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, pemOfKey(key));
  const first = nextTicketKeys(null);
  const log = createLogger({ level: 'error', format: 'text', write: () => {} });
  const watched = watchCertificate(files, first, singleNodeTasks(), log);
  const notices: TlsMaterial[] = [];
  watched.onChange = (material) => notices.push(material);
  assert.is(watched.current.tickets, first);
  const second = nextTicketKeys(first);
  watched.setTickets(second);
  watched.close();
  assert.equal(notices, [{ certificate: cert, key: pemOfKey(key), tickets: second }]);
  assert.is(watched.current, notices[0]);
});

test.run();
