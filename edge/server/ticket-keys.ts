/**
 * The keys that session tickets are sealed by (RFC 5077 section 4, RFC 8446 section 4.6.1): the same for all threads, so that a session is
 * resumed wherever the next connection lands, and new ones now and then, since whoever gets a key can read what TLS 1.2 sent under it.
 *
 * A new key seals from its first moment; the one before still opens. A set of node's own (`setTicketKeys`) is one key: tickets of the last one would all be void at each rotation.
 * The callback below it is where node's set lives, too, has the same format of tickets, and takes any number of keys. It has no place in node's documentation,
 * so where it is missing one key has to do.
 */
import { randomBytes, randomFillSync } from 'node:crypto';
import type { SecureContext } from 'node:tls';

/** 16 octets of name, 16 of the key for HMAC-SHA-256, 16 of that for AES-128-CBC: as node's `ticketKeys`. */
export const TICKET_KEY_LENGTH = 48;

export interface TicketKeys {
  readonly current: Uint8Array;
  /** Opens tickets and seals none; null when there is none. */
  readonly previous: Uint8Array | null;
}

export function createTicketKeys(): TicketKeys {
  return { current: new Uint8Array(randomBytes(TICKET_KEY_LENGTH)), previous: null };
}

export function rotateTicketKeys({ current }: TicketKeys): TicketKeys {
  return { current: new Uint8Array(randomBytes(TICKET_KEY_LENGTH)), previous: current };
}

/** What node's ticket callback is told to do, by the first element of its answer. */
const UNKNOWN = 0;
const USE = 1;
const USE_AND_RENEW = 2;

type TicketAnswer = [verdict: number, hmac: Uint8Array, aes: Uint8Array, name?: Uint8Array, iv?: Uint8Array];

/** The context of node's binding, as far as tickets go. */
interface TicketContext {
  setTicketKeys(keys: Buffer): void;
  enableTicketKeyCallback?(): void;
  onticketkeycallback?: (name: Uint8Array, iv: Uint8Array, isNew: boolean) => TicketAnswer;
}

class Key {
  readonly name: Buffer;
  readonly hmac: Buffer;
  readonly aes: Buffer;

  constructor(readonly bytes: Buffer) {
    this.name = bytes.subarray(0, 16);
    this.hmac = bytes.subarray(16, 32);
    this.aes = bytes.subarray(32, 48);
  }
}

/** A thread's keys, in one context. It must be the one that connections begin with: OpenSSL asks that one for keys, whichever certificate is chosen later. */
export class TicketKeyring {
  private current: Key;
  private previous: Key | null = null;
  private readonly context: TicketContext;
  private readonly hasCallback: boolean;
  /** For one ticket after the other; the binding copies it. */
  private readonly iv = Buffer.alloc(16);

  constructor(context: SecureContext, keys: TicketKeys) {
    this.context = context.context as TicketContext;
    this.hasCallback = typeof this.context.enableTicketKeyCallback === 'function';
    this.current = new Key(Buffer.from(keys.current));
    this.set(keys);
    if (!this.hasCallback) return;
    this.context.enableTicketKeyCallback?.();
    this.context.onticketkeycallback = (name, _, isNew) => (isNew ? this.seal() : this.open(name));
  }

  set(keys: TicketKeys): void {
    this.current = new Key(Buffer.from(keys.current));
    this.previous = keys.previous === null ? null : new Key(Buffer.from(keys.previous));
    if (!this.hasCallback) this.context.setTicketKeys(this.current.bytes);
  }

  private seal(): TicketAnswer {
    const { name, hmac, aes } = this.current;
    return [USE, hmac, aes, name, randomFillSync(this.iv)];
  }

  private open(name: Uint8Array): TicketAnswer {
    const { current, previous } = this;
    if (current.name.equals(name)) return [USE, current.hmac, current.aes];
    if (previous?.name.equals(name)) return [USE_AND_RENEW, previous.hmac, previous.aes];
    return [UNKNOWN, current.hmac, current.aes];
  }
}
