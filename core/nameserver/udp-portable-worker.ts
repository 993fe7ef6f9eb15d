/**
 * Serves UDP over node:dgram, for systems without recvmmsg.
 *
 * node:dgram neither reports the destination address of a packet nor sets the source address of a
 * reply. Therefore each address of this machine has its own socket, in addition to a socket that is
 * bound to any address. The system prefers the more specific socket.
 */

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { ListenAddress } from '../config/index.ts';
import { MAX_MESSAGE } from '../dns/wire/header.ts';
import { Client } from '../net/address/client.ts';
import { setClientAddress } from '../net/address/ipv6.ts';
import { proxyBlockLength, readProxyClient } from '../net/address/proxy-block.ts';
import { isAny } from '../os/libc.ts';
import { COLUMN } from './counters.ts';
import type { AnswerSink } from './deferred-queue.ts';
import { openWorker, post } from './worker.ts';

const { data, handler, proxies, stopping } = openWorker();
const { counters } = handler;
handler.deferred?.listen();
const packet = new Uint8Array(MAX_MESSAGE);
const client = new Client();
/** Milliseconds between two checks of the stop flag. */
const STOP_CHECK_MS = 100;
/** Milliseconds to answer what has been received, at a stop under load. */
const DRAIN_MS = 1000;
/** Milliseconds between two scans for new addresses of this machine. */
const SCAN_MS = 5000;

const sockets = new Set<Socket>();
/** Packets so far. */
let received = 0;

/** Bytes; holds bursts of packets. The system limits the size. */
const SOCKET_BUFFER = 4 << 20;

function open(
  listen: ListenAddress,
  reuseAddr: boolean,
  onListening: () => void,
  onError: (error: Error) => void,
): void {
  const socket = createSocket({
    type: listen.family === 4 ? 'udp4' : 'udp6',
    ipv6Only: listen.family === 6,
    reuseAddr,
    recvBufferSize: SOCKET_BUFFER,
    sendBufferSize: SOCKET_BUFFER,
  });
  socket.on('message', (query, from) => {
    received++;
    if (from.port === 0) {
      counters.count(COLUMN.sourcePortZero);
      return;
    }
    setClientAddress(client, from.address, from.port);
    const isProxied = proxies?.includes(client) === true;
    const header = isProxied ? proxyBlockLength(query, 0, query.length) : 0;
    if (isProxied && header <= 0) {
      counters.count(COLUMN.badProxyHeader);
      return;
    }
    if (isProxied) readProxyClient(query, 0, client);
    const size = query.length - header;
    packet.set(query.subarray(header));
    const startedAt = performance.now();
    handler.startBatch(startedAt, packet, 0, 1);
    const length = handler.answer(packet, 0, size, client, { replyTo: () => sinkOf(socket, from) });
    handler.endBatch();
    if (length <= 0) return;
    counters.recordLatency(1, performance.now() - startedAt);
    // A copy, because the socket keeps the bytes until they are sent and the next query overwrites
    // `packet`. A send error affects one packet only.
    socket.send(Uint8Array.prototype.slice.call(packet, 0, length), from.port, from.address, countSendError);
  });
  socket.on('error', (error) => {
    sockets.delete(socket);
    onError(error);
  });
  socket.bind({ port: listen.port, address: listen.address }, onListening);
  sockets.add(socket);
}

/** Sends the main thread's answer to a message. */
function sinkOf(socket: Socket, { port, address }: RemoteInfo): AnswerSink {
  return {
    write(message) {
      if (sockets.has(socket)) socket.send(message, port, address, countSendError);
    },
    end() {},
  };
}

function ignore(): void {}

function countSendError(error: Error | null): void {
  if (error !== null) counters.count(COLUMN.sendErrors);
}

/** Addresses with their own socket, as `address port`. */
const ownAddresses = new Set<string>();

function openOwnSockets(wildcard: ListenAddress): void {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])) {
    // A link-local address is valid on one interface only.
    if (family !== `IPv${wildcard.family}` || /^fe[89ab]/i.test(address)) continue;
    const id = `${address} ${wildcard.port}`;
    if (ownAddresses.has(id)) continue;
    ownAddresses.add(id);
    // An address that is not ready yet, or has a listener of its own, is retried at the next scan.
    open({ ...wildcard, address }, true, ignore, () => ownAddresses.delete(id));
  }
}

let remaining = data.listen.length;
const anyAddresses = data.listen.filter((listen) => isAny(listen.address));
for (const listen of data.listen) {
  const listening = (): void => {
    if (--remaining > 0) return;
    for (const any of anyAddresses) openOwnSockets(any);
    post({ kind: 'listening' });
  };
  open(listen, anyAddresses.length > 0, listening, (error) =>
    post({ kind: remaining > 0 ? 'failed' : 'fault', message: error.message }),
  );
}

let scannedAt = Date.now();
/** Of the first check after a stop, and the packets received before the latest one. */
let stoppedAt: number | null = null;
let receivedBefore = 0;
const watch = setInterval(() => {
  if (stopping()) {
    // Packets in the buffers of the sockets would be lost with them.
    const isQuiet = stoppedAt !== null && received === receivedBefore;
    stoppedAt ??= performance.now();
    receivedBefore = received;
    if (!isQuiet && performance.now() - stoppedAt < DRAIN_MS) return;
    clearInterval(watch);
    for (const socket of sockets) socket.close();
    process.exit();
  }
  if (remaining > 0 || Date.now() - scannedAt < SCAN_MS) return;
  scannedAt = Date.now();
  for (const any of anyAddresses) openOwnSockets(any);
}, STOP_CHECK_MS);
