/**
 * The same over node:dgram, for systems without recvmmsg. node:dgram does not tell which address was asked, nor lets a reply say where it comes
 * from; so beside a socket that is bound to any address, each address of this machine has one of its own, which the system prefers.
 */

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from '../address/client.ts';
import { setClientAddress } from '../address/ipv6.ts';
import { COOKIE } from '../answer/query.ts';
import { DEFERRED } from '../answer/responder.ts';
import type { ListenAddress } from '../config/index.ts';
import { isAny } from '../os/libc.ts';
import { MAX_MESSAGE } from '../wire/header.ts';
import { COLUMN } from './counters.ts';
import { type FromWorker, faultReporter, openReader, type WorkerData } from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const fault = faultReporter(post);
const { index, responder, counters, gate, deferred, deferredGate, stopping } = openReader(data);
deferred?.listen();
const packet = new Uint8Array(MAX_MESSAGE);
const client = new Client();
/** How often it looks whether it should stop. */
const STOP_MS = 100;
/** How often it looks for addresses that this machine has got. */
const SCAN_MS = 5000;

const sockets = new Set<Socket>();

/** Bytes; bursts wait here. The system caps what it gives. */
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
    if (from.port === 0) {
      counters.count(COLUMN.sourcePortZero);
      return;
    }
    packet.set(query);
    let length = 0;
    setClientAddress(client, from.address, from.port);
    const begun = performance.now();
    gate.begin(begun);
    index.enter();
    try {
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
    counters.takeIndex(index);
    if (length > 0) counters.took(1, performance.now() - begun);
    // The socket keeps the bytes until they are sent, and the next query overwrites these. What cannot be sent concerns one packet.
    if (length > 0) socket.send(Uint8Array.prototype.slice.call(packet, 0, length), from.port, from.address, sent);
  });
  socket.on('error', (error) => {
    sockets.delete(socket);
    onError(error);
  });
  socket.bind({ port: listen.port, address: listen.address }, onListening);
  sockets.add(socket);
}

/** Hands the message to main. Returns the length of the response in its place when main has no room for it, or 0. */
function defer(socket: Socket, length: number, { port, address }: RemoteInfo, family: number): number {
  const taker = {
    take(message: Uint8Array): void {
      if (sockets.has(socket)) socket.send(message, port, address, sent);
    },
    end(): void {},
  };
  const id = deferred?.ask(packet, 0, length, client, responder.query.cookie === COOKIE.VALID, taker) ?? 0;
  counters.count(id === 0 ? COLUMN.deferredRefused : COLUMN.deferred);
  if (id !== 0) return 0;
  const refusal = deferredGate.overTcp(packet, 0);
  gate.note(packet, 0, refusal, responder.query, client, family);
  return refusal;
}

function ignore(): void {}

function sent(error: Error | null): void {
  if (error !== null) counters.count(COLUMN.sendErrors);
}

/** Addresses that have a socket beside the one bound to any address, as `address port`. */
const own = new Set<string>();

function openOwn(any: ListenAddress): void {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])) {
    // A link-local address means something on one interface only.
    if (family !== `IPv${any.family}` || /^fe[89ab]/i.test(address)) continue;
    const id = `${address} ${any.port}`;
    if (own.has(id)) continue;
    own.add(id);
    // One that is not ready yet, or was listed on its own, is tried again.
    open({ ...any, address }, true, ignore, () => own.delete(id));
  }
}

let waiting = data.listen.length;
const anyAddresses = data.listen.filter((listen) => isAny(listen.address));
for (const listen of data.listen) {
  const listening = (): void => {
    if (--waiting > 0) return;
    for (const any of anyAddresses) openOwn(any);
    post({ kind: 'listening' });
  };
  open(listen, anyAddresses.length > 0, listening, (error) =>
    post({ kind: waiting > 0 ? 'failed' : 'fault', message: error.message }),
  );
}

let scanned = Date.now();
const watch = setInterval(() => {
  if (stopping()) {
    clearInterval(watch);
    for (const socket of sockets) socket.close();
    process.exit();
  }
  if (waiting > 0 || Date.now() - scanned < SCAN_MS) return;
  scanned = Date.now();
  for (const any of anyAddresses) openOwn(any);
}, STOP_MS);
