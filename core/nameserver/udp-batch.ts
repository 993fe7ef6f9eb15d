/**
 * The UDP loop: recvmmsg, answer each packet in place, sendmmsg.
 *
 * Query and response share buffer, address and control data, so that only the length changes
 * between receiving and sending. The loop blocks its thread; it checks the stop flag between
 * batches. bench/RESULTS.md compares it with Knot and NSD on one core.
 */

import { Client } from '../net/address/client.ts';
import { proxyBlockLength, readProxyClient } from '../net/address/proxy-block.ts';
import { EINTR, type Libc } from '../os/libc.ts';
import { MSG_DONTWAIT, MSG_WAITFORONE } from '../os/socket-constants.ts';
import { COLUMN } from './counters.ts';
import type { ReplyPath } from './deferred-queue.ts';
import type { UdpReply } from './deferred-udp.ts';
import type { QueryHandler } from './query-handler.ts';
import type { PrefixList } from './rate-limit-prefixes.ts';

/** Longest request, in bytes. Padding or an update with several records can make a request long. */
const MAX_REQUEST = 4096;
/** Packets received with one call. */
const BATCH = 64;
/** Size of struct mmsghdr in bytes, and the positions of its fields in 32-bit words. */
const MESSAGE = 64;
const NAME_LENGTH = 2;
const CONTROL_LENGTH = 10;
const FLAGS = 12;
const LENGTH = 14;
const WORDS = MESSAGE / 4;
/** Size of struct sockaddr_in6, rounded up. */
const ADDRESS = 32;
const ADDRESS_LENGTH = 28;
/** Space for one cmsg with an in6_pktinfo (40 bytes). */
const CONTROL = 64;
const PKTINFO_LENGTH = 40;
const MSG_TRUNC = 0x20;
/** struct iovec in 32-bit words: base, then length. */
const IOVEC_WORDS = 4;
const IOVEC_LENGTH = 2;
/** Milliseconds to answer what has been received, at a stop under load. */
const DRAIN_MS = 1000;

/** The functions of the C library that the loop calls. */
export type UdpCalls = Pick<Libc, 'recvmmsg' | 'sendmmsg' | 'poll' | 'errno' | 'address'>;

interface UdpSockets {
  readonly fds: readonly number[];
  /** Family of each socket. */
  readonly families: readonly (4 | 6)[];
  /** True if a socket is bound to any address and receives PKTINFO. */
  readonly anyAddress: boolean;
  /** The largest response, in bytes. */
  readonly udpPayload: number;
  /** Proxies, whose packets begin with a header of the PROXY protocol. Null: there are none. */
  readonly proxies: PrefixList | null;
}

export class UdpLoop implements ReplyPath {
  readonly #libc: UdpCalls;
  readonly #handler: QueryHandler;
  readonly #slot: number;
  readonly #packets: Uint8Array;
  readonly #addresses = new Uint8Array(BATCH * ADDRESS);
  readonly #controls = new Uint8Array(BATCH * CONTROL);
  readonly #headers = new Int32Array(BATCH * WORDS);
  readonly #vectors = new Int32Array(BATCH * IOVEC_WORDS);
  /** Views of `headers` from the i-th message on, as recvmmsg and sendmmsg expect them. */
  readonly #rows: Uint8Array[];
  readonly #fds: readonly number[];
  /** Of each socket: 0 for IPv4, 1 for IPv6. */
  readonly #families: readonly number[];
  /** struct pollfd of each socket. Empty for a single socket, because recvmmsg waits for it. */
  readonly #polled: Uint8Array;
  readonly #events: DataView;
  readonly #pktinfo: boolean;
  readonly #client = new Client();
  readonly #proxies: PrefixList | null;
  /** The client of each packet, if there are proxies. */
  readonly #clients: readonly Client[];
  /** The packet that is being answered, and its socket. */
  #current = 0;
  #fd = -1;
  #family = 0;

  constructor(libc: UdpCalls, handler: QueryHandler, { fds, families, anyAddress, udpPayload, proxies }: UdpSockets) {
    this.#libc = libc;
    this.#handler = handler;
    this.#fds = fds;
    this.#families = families.map((family) => (family === 6 ? 1 : 0));
    this.#pktinfo = anyAddress;
    this.#proxies = proxies;
    this.#clients = proxies === null ? [] : Array.from({ length: BATCH }, () => new Client());
    this.#polled = new Uint8Array(fds.length === 1 ? 0 : fds.length * POLL_STRIDE);
    this.#events = new DataView(this.#polled.buffer);
    if (fds.length > 1)
      fds.forEach((fd, i) => {
        this.#events.setInt32(i * POLL_STRIDE, fd, true);
        this.#events.setInt16(i * POLL_STRIDE + 4, POLLIN, true);
      });
    // An odd number of cache lines, so that the packets' first lines fall into different cache
    // sets.
    this.#slot = (Math.ceil(Math.max(udpPayload, MAX_REQUEST) / 128) * 2 + 1) * 64;
    this.#packets = new Uint8Array(BATCH * this.#slot);
    this.#rows = Array.from({ length: BATCH }, (_, i) => new Uint8Array(this.#headers.buffer, i * MESSAGE));
    const headers = this.#headers;
    const vectors = this.#vectors;
    const put = (words: Int32Array, at: number, value: bigint): void => {
      words[at] = Number(BigInt.asIntN(32, value));
      words[at + 1] = Number(value >> 32n);
    };
    const base = [this.#packets, this.#addresses, this.#controls, vectors].map((array) =>
      libc.address(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)),
    );
    for (let i = 0; i < BATCH; i++) {
      put(vectors, i * IOVEC_WORDS, base[0] + BigInt(i * this.#slot));
      put(headers, i * WORDS, base[1] + BigInt(i * ADDRESS));
      put(headers, i * WORDS + 4, base[3] + BigInt(i * 16));
      headers[i * WORDS + 6] = 1;
      put(headers, i * WORDS + 8, base[2] + BigInt(i * CONTROL));
      this.#reset(i);
    }
    // The kernel has only the addresses of these arrays, so a live object must keep them from being
    // garbage collected.
    HELD.push(this);
  }

  /** Serves the sockets until `stopping` returns true. */
  run(stopping: () => boolean): void {
    const fds = this.#fds;
    const families = this.#families;
    const polled = this.#polled;
    const events = this.#events;
    const libc = this.#libc;
    if (fds.length === 1) {
      while (!stopping()) this.#serveBatch(fds[0], MSG_WAITFORONE, families[0]);
      return;
    }
    while (!stopping()) {
      if (libc.poll(polled, fds.length, POLL_MS) <= 0) continue;
      for (let i = 0; i < fds.length; i++)
        if (events.getInt16(i * POLL_STRIDE + 6, true) !== 0) this.#serveBatch(fds[i], MSG_DONTWAIT, families[i]);
    }
  }

  /**
   * Serves what the sockets have received, at the end: packets in their buffers would be lost with
   * them. Ends when all are empty, or at `deadline` in the time of performance.now().
   */
  close(deadline = performance.now() + DRAIN_MS): void {
    const fds = this.#fds;
    for (let i = 0; i < fds.length; i++)
      while (this.#serveBatch(fds[i], MSG_DONTWAIT, this.#families[i]) > 0 && performance.now() < deadline);
  }

  /** Receives, answers and sends one batch. Returns the number of packets, or below 0. */
  #serveBatch(fd: number, flags: number, family: number): number {
    const headers = this.#headers;
    const vectors = this.#vectors;
    const addresses = this.#addresses;
    const packets = this.#packets;
    const slot = this.#slot;
    const handler = this.#handler;
    const { counters } = handler;
    const count = this.#libc.recvmmsg(fd, this.#rows[0], BATCH, flags, null);
    if (count <= 0) return count;
    this.#fd = fd;
    this.#family = family;
    const startedAt = performance.now();
    counters.count(COLUMN.batches);
    if (this.#proxies !== null) this.#removeHeaders(this.#proxies, count, family);
    handler.startBatch(startedAt, packets, slot, count);
    let first = 0;
    let responses = 0;
    for (let i = 0; i < count; i++) {
      const row = i * WORDS;
      let length = 0;
      // A source port of 0 cannot be answered. A packet longer than the slot is not a valid query.
      if ((addresses[i * ADDRESS + 2] | addresses[i * ADDRESS + 3]) === 0) counters.count(COLUMN.sourcePortZero);
      else if ((headers[row + FLAGS] & MSG_TRUNC) !== 0) counters.count(COLUMN.oversized);
      else if (headers[row + LENGTH] < 0) counters.count(COLUMN.badProxyHeader);
      else {
        const client = this.#proxies === null ? this.#client : this.#clients[i];
        this.#current = i;
        if (this.#proxies === null) this.#readSender(i, family, client);
        length = handler.answer(packets, i * slot, headers[row + LENGTH], client, this);
      }
      if (length > 0) {
        responses++;
        vectors[i * IOVEC_WORDS + IOVEC_LENGTH] = length;
        if (this.#pktinfo) this.#replyFrom(i);
        continue;
      }
      if (first < i) this.#send(fd, first, i);
      first = i + 1;
    }
    handler.endBatch();
    if (first < count) this.#send(fd, first, count);
    if (responses > 0) counters.recordLatency(responses, performance.now() - startedAt);
    for (let i = 0; i < count; i++) this.#reset(i);
    return count;
  }

  /**
   * Removes the header of the PROXY protocol from the packets of proxies, and sets the client of
   * each packet. The length of a packet without a valid header becomes negative.
   */
  #removeHeaders(proxies: PrefixList, count: number, family: number): void {
    const headers = this.#headers;
    const packets = this.#packets;
    for (let i = 0; i < count; i++) {
      const client = this.#clients[i];
      this.#readSender(i, family, client);
      if (!proxies.includes(client)) continue;
      const lengthAt = i * WORDS + LENGTH;
      const start = i * this.#slot;
      const end = start + headers[lengthAt];
      const length = proxyBlockLength(packets, start, end);
      if (length > 0) {
        readProxyClient(packets, start, client);
        packets.copyWithin(start, start + length, end);
        headers[lengthAt] = end - start - length;
      } else headers[lengthAt] = -1;
    }
  }

  /**
   * Sets the client to the sender of the i-th packet: struct sockaddr_in (address at 4) or
   * sockaddr_in6 (address at 8).
   */
  #readSender(i: number, family: number, client: Client): void {
    const addresses = this.#addresses;
    const at = i * ADDRESS;
    client.port = (addresses[at + 2] << 8) | addresses[at + 3];
    if (family === 0) client.setAddress(addresses, at + 4, 4);
    else client.setAddress(addresses, at + 8, 16);
  }

  /** Copies the destination and the source address of a reply to the current packet. */
  replyTo(): UdpReply {
    const addresses = this.#addresses;
    const controls = this.#controls;
    const headers = this.#headers;
    const i = this.#current;
    const at = i * ADDRESS;
    const name = addresses.slice(at, at + (this.#family === 0 ? 16 : ADDRESS_LENGTH));
    if (this.#pktinfo) this.#replyFrom(i);
    const controlLength = headers[i * WORDS + CONTROL_LENGTH];
    return { fd: this.#fd, name, control: controls.slice(i * CONTROL, i * CONTROL + controlLength) };
  }

  #send(fd: number, from: number, to: number): void {
    for (let i = from; i < to; ) {
      const sent = this.#libc.sendmmsg(fd, this.#rows[i], to - i, 0);
      // A send error (no route, rejected by a filter) affects one packet only.
      if (sent > 0) i += sent;
      else if (this.#libc.errno() !== EINTR) {
        this.#handler.counters.count(COLUMN.sendErrors);
        i++;
      }
    }
  }

  /**
   * Makes the received PKTINFO select the source address of the reply, on any interface that has a
   * route back.
   */
  #replyFrom(i: number): void {
    const controls = this.#controls;
    const headers = this.#headers;
    const at = i * CONTROL;
    if (headers[i * WORDS + CONTROL_LENGTH] === 0) return;
    const isIpv6 = controls[at + 8] === 41;
    // A link-local address (fe80::/10) is valid on its interface only.
    if (isIpv6 && controls[at + 16] === 0xfe && (controls[at + 17] & 0xc0) === 0x80) return;
    const interfaceAt = at + (isIpv6 ? 32 : 16);
    for (let k = 0; k < 4; k++) controls[interfaceAt + k] = 0;
  }

  /** Resets the lengths to the full capacity for the next recvmmsg. */
  #reset(i: number): void {
    this.#vectors[i * IOVEC_WORDS + IOVEC_LENGTH] = this.#slot;
    this.#headers[i * WORDS + NAME_LENGTH] = ADDRESS_LENGTH;
    this.#headers[i * WORDS + CONTROL_LENGTH] = this.#pktinfo ? PKTINFO_LENGTH : 0;
    this.#headers[i * WORDS + FLAGS] = 0;
  }
}

const HELD: unknown[] = [];
/** struct pollfd: descriptor, requested events, returned events. */
const POLL_STRIDE = 8;
const POLLIN = 1;
const POLL_MS = 200;
