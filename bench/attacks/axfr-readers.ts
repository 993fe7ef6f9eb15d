/**
 * `node dist/bench/attacks/axfr-readers.js [--main FILE] [--seconds N]`: 64 connections that
 * request the large zone of one customer and read nothing, opened again when they are closed, and
 * the transfer of another customer's small zone.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { takeMessage, transferRequest } from '../../test/support/transfer-client.ts';
import { customerOf } from './customers.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const CONNECTIONS = 64;
const { main, seconds } = attackOptions('axfr-readers', 'Transfers that are not read, a transfer of another zone.', 20);

function request(port: number, zone: string, localAddress: string): Socket {
  const message = transferRequest(zone);
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.write(Buffer.concat([Uint8Array.of(message.length >> 8, message.length & 0xff), message]));
  return socket;
}

/** Resolves when the small zone has arrived. */
function transfer(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = request(port, 'tenant.test.', '127.0.0.2');
    let received = Buffer.alloc(0);
    socket.setTimeout(60_000, () => socket.destroy());
    socket.on('close', () => reject(new Error('closed')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      socket.destroy();
      const code = received[5] & 15;
      if (code !== 0) reject(new Error(`code ${code}`));
      takeMessage(received.subarray(2, 2 + received.readUInt16BE(0)), []);
      resolve();
    });
  });
}

const daemon = await startDaemon({ WAYPOST_TRANSFER_ALLOW: '127.0.0.0/8' }, { main });
let isOver = false;
let next = 0;
const open = new Set<Socket>();

function read(): void {
  if (isOver) return;
  const socket = request(daemon.dnsPort, 'attacker.test.', `127.0.0.${next++ % 2 === 0 ? 1 : 3}`).pause();
  open.add(socket);
  // A paused socket notices a reset when it is written to.
  const poke = setInterval(() => socket.write(Uint8Array.of(0)), 250);
  socket.once('close', () => {
    clearInterval(poke);
    open.delete(socket);
    setTimeout(read, 50);
  });
}

try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const [attacker, tenant] = await Promise.all(['attacker', 'tenant'].map((name) => customerOf(daemon, name)));
  const id = await attacker.createDomain('attacker.test');
  const text = `"${'a'.repeat(250)}"`;
  const file = `$GENERATE 1-65535 a$ 300 IN TXT ${text}\n`;
  const imported = await attacker.request('PUT', `/api/v1/domains/${id}/zonefile`, file, 'text/dns');
  if (imported.status >= 300) throw new Error(imported.text);
  await tenant.createDomain('tenant.test');
  const how = { intervalMs: 500, patienceMs: 60_000 };
  const without = await probeFor(seconds, () => transfer(daemon.dnsPort), how);
  for (let i = 0; i < CONNECTIONS; i++) read();
  await sleep(2000);
  const attacked = await probeFor(seconds, () => transfer(daemon.dnsPort), how);
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  printRow('transfer of a small zone', without, attacked, [`${megabytes} MB`, `${descriptors} descriptors`]);
} finally {
  isOver = true;
  for (const socket of open) socket.destroy();
  await daemon.close();
}
process.exit();
