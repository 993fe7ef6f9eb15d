/**
 * Serves UDP over node:dgram, for systems without recvmmsg.
 *
 * node:dgram neither reports the destination address of a packet nor sets the source address of a
 * reply. Therefore each address of this machine has its own socket, in addition to a socket that is
 * bound to any address. The system prefers the more specific socket.
 */

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { ListenAddress } from '../config/index.ts';
import { MAX_MESSAGE } from '../dns/wire/header.ts';
import { Client } from '../net/address/client.ts';
import { setClientAddress } from '../net/address/ipv6.ts';
import { isAny } from '../os/libc.ts';
import { COOKIE } from '../zone/answer/query.ts';
import { DEFERRED } from '../zone/answer/responder.ts';
import { COLUMN } from './counters.ts';
import { createDnsContext, type FromWorker, faultReporter, type WorkerData } from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const fault = faultReporter(post);
const { index, responder, counters, gate, deferred, deferredGate, stopping } = createDnsContext(data);
deferred?.listen();
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
  const family = listen.family === 6 ? 1 : 0;
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
    packet.set(query);
    let length = 0;
    setClientAddress(client, from.address, from.port);
    const startedAt = performance.now();
    gate.startBatch(startedAt);
    index.enter();
    try {
      gate.receive(packet, 0, query.length, client);
      length = responder.respond(packet, 0, query.length, client);
      if (length === DEFERRED) length = deferredGate.pass(packet, 0, client);
      if (length === DEFERRED) {
        length = defer(socket, query.length, from, family);
      } else if (length === 0) counters.count(COLUMN.notQuery);
      else length = gate.pass(packet, 0, length, responder.query, client, family);
    } catch (error) {
      counters.count(COLUMN.fault);
      fault(error);
    }
    index.leave();
    counters.addIndexCounts(index);
    if (length > 0) counters.recordLatency(1, performance.now() - startedAt);
    // A copy, because the socket keeps the bytes until they are sent and the next query overwrites
    // `packet`. A send error affects one packet only.
    if (length > 0)
      socket.send(Uint8Array.prototype.slice.call(packet, 0, length), from.port, from.address, countSendError);
  });
  socket.on('error', (error) => {
    sockets.delete(socket);
    onError(error);
  });
  socket.bind({ port: listen.port, address: listen.address }, onListening);
  sockets.add(socket);
}

/**
 * Defers the message to the main thread. Returns 0, or the length of the response if the main
 * thread has no capacity.
 */
function defer(socket: Socket, length: number, { port, address }: RemoteInfo, family: number): number {
  const sink = {
    write(message: Uint8Array): void {
      if (sockets.has(socket)) socket.send(message, port, address, countSendError);
    },
    end(): void {},
  };
  const id = deferred?.submit(packet, 0, length, client, responder.query.cookie === COOKIE.VALID, sink) ?? 0;
  counters.count(id === 0 ? COLUMN.deferredRefused : COLUMN.deferred);
  if (id !== 0) return 0;
  const refusal = deferredGate.redirectToTcp(packet, 0);
  gate.record(packet, 0, refusal, responder.query, client, family);
  return refusal;
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
