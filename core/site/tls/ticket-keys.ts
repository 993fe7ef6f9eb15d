/**
 * Session ticket keys (RFC 5077, RFC 8446 4.6.1). A leaked key decrypts the TLS 1.2 sessions of its
 * tickets, so keys are rotated. Tickets of the previous key are accepted, so that clients can
 * resume across a rotation.
 */
import { randomBytes } from 'node:crypto';
import type { SecureContext, Server } from 'node:tls';

/** 48 bytes each, as for `ticketKeys` of node:tls: a name of 16 bytes, then two secrets of 16. */
export interface TicketKeys {
  readonly current: Uint8Array;
  readonly previous: Uint8Array | null;
}

const SIZE = 48;
const PART = 16;

/**
 * A new current key; the current key of `keys` becomes the previous one. Null: there is no previous
 * key.
 */
export function nextTicketKeys(keys: TicketKeys | null): TicketKeys {
  return { current: new Uint8Array(randomBytes(SIZE)), previous: keys?.current ?? null };
}

/**
 * Results of the ticket callback of OpenSSL: ignore the ticket, encrypt a new ticket, or accept the
 * ticket and issue a new one. A client should use each ticket only once (RFC 8446 C.4).
 */
const DISCARD = 0;
const SEAL = 1;
const RENEW = 2;
type Verdict = [number, Buffer, Buffer, Buffer, Buffer];

/** Undocumented members of Node's TLS context. */
interface TicketContext {
  setTicketKeys?: (keys: Buffer) => void;
  onticketkeycallback?: (name: Buffer, iv: Buffer, sealing: boolean) => Verdict;
  enableTicketKeyCallback?: () => void;
}

/**
 * Makes a server accept tickets of both keys. Call it after each setSecureContext, whose context
 * accepts only the current key (`ticketKeys`). Node does not document the callback; without it,
 * tickets of the previous key lead to a full handshake.
 */
export function takeTickets(server: Server, keys: TicketKeys): void {
  const { _sharedCreds: context } = server as Server & { _sharedCreds?: SecureContext };
  if (context !== undefined) takeTicketsIn(context, keys);
}

/**
 * The same for a context, which must be the default context of the server: OpenSSL calls the
 * callback of that context, whichever context SNI selects. Can be called again with other keys.
 */
function takeTicketsIn(secure: SecureContext, { current, previous }: TicketKeys): void {
  const context = secure.context as TicketContext | undefined;
  if (typeof context?.enableTicketKeyCallback !== 'function') {
    context?.setTicketKeys?.(Buffer.from(current));
    return;
  }
  const newest = partsOf(current);
  const last = previous === null ? null : partsOf(previous);
  context.onticketkeycallback = (name, iv, sealing) => {
    if (sealing) return [SEAL, newest.mac, newest.cipher, newest.name, randomBytes(PART)];
    if (name.equals(newest.name)) return [RENEW, newest.mac, newest.cipher, name, iv];
    if (last !== null && name.equals(last.name)) return [RENEW, last.mac, last.cipher, name, iv];
    return [DISCARD, newest.mac, newest.cipher, name, iv];
  };
  context.enableTicketKeyCallback();
}

function partsOf(key: Uint8Array): { readonly name: Buffer; readonly mac: Buffer; readonly cipher: Buffer } {
  const part = (i: number): Buffer => Buffer.from(key.subarray(i * PART, (i + 1) * PART));
  return { name: part(0), mac: part(1), cipher: part(2) };
}
