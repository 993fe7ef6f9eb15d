/**
 * Keys of session tickets (RFC 5077, RFC 8446 4.6.1). A holder of one reads what TLS 1.2
 * said under it, so none lives long; a ticket of the last key is still taken, so that clients
 * resume across the change.
 */
import { randomBytes } from 'node:crypto';
import type { SecureContext, Server } from 'node:tls';

/** 48 bytes each, as `ticketKeys` of node:tls: name, then two secrets of 16. */
export interface TicketKeys {
  readonly current: Uint8Array;
  readonly previous: Uint8Array | null;
}

const SIZE = 48;
const PART = 16;

/** A new key, before which `keys` were used. */
export function nextTicketKeys(keys: TicketKeys | null): TicketKeys {
  return { current: new Uint8Array(randomBytes(SIZE)), previous: keys?.current ?? null };
}

/**
 * What OpenSSL does: it passes over a ticket, seals one, or takes one and gives another for it, as
 * clients are to use each but once (RFC 8446 C.4).
 */
const DISCARD = 0;
const SEAL = 1;
const RENEW = 2;
type Verdict = [number, Buffer, Buffer, Buffer, Buffer];

/** What Node's context of TLS has besides what is documented. */
interface TicketContext {
  setTicketKeys?: (keys: Buffer) => void;
  onticketkeycallback?: (name: Buffer, iv: Buffer, sealing: boolean) => Verdict;
  enableTicketKeyCallback?: () => void;
}

/**
 * Lets a server take tickets of both keys; to be called after each setSecureContext, whose context
 * knows the current one alone (`ticketKeys`). Two at a time is nothing that Node documents: where
 * its context does not have the callback, tickets of the previous key end in a full handshake.
 */
export function takeTickets(server: Server, keys: TicketKeys): void {
  const { _sharedCreds: context } = server as Server & { _sharedCreds?: SecureContext };
  if (context !== undefined) takeTicketsIn(context, keys);
}

/**
 * The same for a context, which must be the one that handshakes begin with: OpenSSL asks that one,
 * whichever is chosen for the server name. May be called again with other keys.
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
