/**
 * Messages between two nodes, both ways over one connection, which begins as a request over HTTP
 * that asks for it (RFC 9110 7.8). By HTTP itself a word cost two nodes 150 us of CPU, and commits
 * with their answer 500.
 *
 *   message: length u32 of what follows, kind u8, number u48, what is said
 */
import type { Duplex } from 'node:stream';

/** As it is asked for, and granted. */
export const PROTOCOL = 'waypost-peer';

export const KIND = {
  /**
   * Number: of the last entry that is applied. Payload: the clock of the node, in milliseconds
   * since 1970, u48, and whether it is trusted, u8; nothing from a version before.
   */
  applied: 1,
  /** Commits that are forwarded; the number is their node's own. */
  commits: 2,
  /** To commits of the same number; nothing is said when they were refused. */
  answer: 3,
  /**
   * What requests have used of rate limits (edge/policy/rules/rate-sharing.ts); the number is 0.
   */
  usage: 4,
} as const;

/** The feature level of nodes that know KIND.usage; others end the connection. */
export const USAGE_LEVEL = 2;

/** Bytes of the payload of KIND.applied. */
export const CLOCK_BYTES = 7;

export interface Message {
  readonly kind: number;
  readonly number: number;
  readonly payload: Buffer;
}

const HEAD = 11;
const LENGTH = 4;
const NOTHING = Buffer.alloc(0);
/** Bytes of a message: commits that are forwarded at once, with all that they have read. */
const MOST = 8 << 20;

export class PeerLink {
  readonly #socket: Duplex;
  readonly #onMessage: (message: Message) => void;
  #parts: Buffer[] = [];
  #length = 0;
  /** Bytes until the next message is here. */
  #wanted = HEAD;

  /**
   * `head`: bytes that came already. `onMessage` is called in order; what it throws ends the
   * connection.
   */
  constructor(socket: Duplex, head: Buffer, onMessage: (message: Message) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    if (head.length > 0) this.#take(head);
  }

  /** Bytes that the other node has not read yet. */
  get unread(): number {
    return this.#socket.writableLength;
  }

  send(kind: number, number: number, payload: Buffer = NOTHING): void {
    const message = Buffer.allocUnsafe(HEAD + payload.length);
    message.writeUInt32BE(message.length - LENGTH, 0);
    message[LENGTH] = kind;
    message.writeUIntBE(number, LENGTH + 1, 6);
    message.set(payload, HEAD);
    this.#socket.write(message);
  }

  destroy(error?: Error): void {
    this.#socket.destroy(error);
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return;
    try {
      this.#read(this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts));
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #read(bytes: Buffer): void {
    let at = 0;
    this.#wanted = HEAD;
    while (at + HEAD <= bytes.length) {
      const end = at + LENGTH + bytes.readUInt32BE(at);
      if (end < at + HEAD || end > at + MOST) throw new Error('a message between nodes is too long or truncated');
      this.#wanted = end - at;
      if (end > bytes.length) break;
      const number = bytes.readUIntBE(at + LENGTH + 1, 6);
      this.#onMessage({ kind: bytes[at + LENGTH], number, payload: bytes.subarray(at + HEAD, end) });
      at = end;
      this.#wanted = HEAD;
    }
    this.#parts = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
  }
}
