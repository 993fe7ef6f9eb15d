/**
 * The message protocol between two nodes: bidirectional over a connection that an HTTP request has
 * upgraded (RFC 9110 section 7.8). With plain HTTP a heartbeat cost both nodes 150 us of CPU, and
 * commits with their answer 500.
 *
 *   message: length u32 of the rest, kind u8, number u48, payload
 */
import type { Duplex } from 'node:stream';

/** Name of the protocol in the Upgrade header fields. */
export const PROTOCOL = 'waypost-peer';

export const KIND = {
  /**
   * Number: the applied sequence. Payload: the clock of the node, in milliseconds since 1970, u48,
   * and whether it is trusted, u8; then the sequence up to which all is served, u48. Earlier
   * versions send less of it.
   */
  applied: 1,
  /** Forwarded commits. Number: chosen by the sender, repeated in the answer. */
  commits: 2,
  /** Answer to the commits of the same number. Empty payload: they were refused. */
  answer: 3,
  /** Usage of rate limits (edge/policy/rules/rate-sharing.ts). Number: 0. */
  usage: 4,
} as const;

/** The feature level of nodes that accept KIND.usage; other nodes would close the connection. */
export const USAGE_LEVEL = 2;

/** Bytes of the clock in the payload of KIND.applied. */
export const CLOCK_BYTES = 7;
/** Offset of the served sequence. */
export const SERVED_AT = CLOCK_BYTES;

export interface Message {
  readonly kind: number;
  readonly number: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 11;
const LENGTH_BYTES = 4;
const EMPTY = Buffer.alloc(0);
/**
 * Maximum bytes of a message. The largest messages are forwarded commits with the rows that they
 * read.
 */
const MAX_MESSAGE_BYTES = 8 << 20;

export class PeerLink {
  #parts: Buffer[] = [];
  #length = 0;
  /** Bytes needed to continue: a head, or a whole message. */
  #needed = HEAD_BYTES;

  /**
   * `head`: bytes received with the upgrade. `onMessage` is called in order; an error that it
   * throws closes the connection.
   */
  constructor(
    private readonly socket: Duplex,
    head: Buffer,
    private readonly onMessage: (message: Message) => void,
  ) {
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    if (head.length > 0) this.#receive(head);
  }

  /** Bytes queued for the other node. */
  get unread(): number {
    return this.socket.writableLength;
  }

  send(kind: number, number: number, payload: Buffer = EMPTY): void {
    const message = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
    message.writeUInt32BE(message.length - LENGTH_BYTES, 0);
    message[LENGTH_BYTES] = kind;
    message.writeUIntBE(number, LENGTH_BYTES + 1, 6);
    message.set(payload, HEAD_BYTES);
    this.socket.write(message);
  }

  destroy(error?: Error): void {
    this.socket.destroy(error);
  }

  #receive(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    try {
      this.#read(this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts));
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #read(bytes: Buffer): void {
    let at = 0;
    this.#needed = HEAD_BYTES;
    while (at + HEAD_BYTES <= bytes.length) {
      const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
      if (end < at + HEAD_BYTES || end > at + MAX_MESSAGE_BYTES)
        throw new Error('a message between nodes is too long or truncated');
      this.#needed = end - at;
      if (end > bytes.length) break;
      const number = bytes.readUIntBE(at + LENGTH_BYTES + 1, 6);
      this.onMessage({ kind: bytes[at + LENGTH_BYTES], number, payload: bytes.subarray(at + HEAD_BYTES, end) });
      at = end;
      this.#needed = HEAD_BYTES;
    }
    this.#parts = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
  }
}
