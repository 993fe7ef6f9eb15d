/**
 * A new connection to an origin: its addresses looked up, judged, and tried one after the other
 * with a head start (RFC 8305 section 5), all within the time that connecting may take. Only to
 * literals that were judged, never to a name.
 */
import { type ConnectRule, formatAddress, parseAddress, permittedAddresses } from '../../core/net/address/index.ts';
import type { AddressBook } from './address-book.ts';
import type { OriginLimits } from './limits.ts';
import { OriginError } from './origin.ts';
import type { OpenSocket, OriginSocket, SocketAttempt, SocketTls } from './sockets.ts';

/**
 * Milliseconds until the next address is tried alongside the one before: the Connection Attempt
 * Delay of RFC 8305 section 5.
 */
const HEAD_START = 250;

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** As an origin has them. */
  readonly addresses: readonly string[] | undefined;
  readonly limits: OriginLimits;
  /** Null: plain HTTP. Throws when the certificates of the origin's options cannot be read. */
  tls(): SocketTls | null;
}

export interface DialTools {
  readonly book: AddressBook;
  readonly guard: Guard;
  readonly open: OpenSocket;
}

/** What comes of it: one of both, once, unless it was aborted. */
export interface DialOwner {
  /** Has to `start` the socket. */
  onDialled(dial: Dial, socket: OriginSocket): void;
  onDialFailed(dial: Dial, error: OriginError): void;
}

export class Dial implements SocketAttempt {
  readonly #target: DialTarget;
  readonly #tools: DialTools;
  readonly #owner: DialOwner;
  /** Of the host, in text, those too that may not be connected to. */
  resolved: readonly string[] = [];
  /** In text. */
  #addresses: readonly string[] = [];
  #next = 0;
  #begin = 0;
  readonly #tries = new Set<OriginSocket>();
  readonly #faults: string[] = [];
  #isConnected = false;
  #isOver = false;
  #headStart: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: DialTarget, tools: DialTools, owner: DialOwner) {
    this.#target = target;
    this.#tools = tools;
    this.#owner = owner;
  }

  start(): void {
    this.#begin = performance.now();
    this.#timer = setTimeout(() => this.#fail(this.#late()), this.#target.limits.connectTimeout);
    this.#permitted().then(
      (addresses) => {
        if (this.#isOver) return;
        this.#addresses = addresses;
        this.#tryNext();
      },
      (error: OriginError) => this.#fail(error),
    );
  }

  /** Nobody needs it any more. */
  abort(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#headStart);
    for (const socket of this.#tries) socket.destroy();
    this.#tries.clear();
  }

  /** In text; the one that served last is first, if it is still one of the origin's. */
  async #permitted(): Promise<string[]> {
    const { book, guard } = this.#tools;
    const { host, addresses: given } = this.#target;
    const found =
      given === undefined ? await book.addressesOf(host) : given.flatMap((text) => parseAddress(text) ?? []);
    this.resolved = found.map(formatAddress);
    const addresses = permitted(found, guard).map(formatAddress);
    const at = addresses.indexOf(book.lastServed(host));
    if (at > 0) addresses.unshift(...addresses.splice(at, 1));
    return addresses;
  }

  #tryNext(): void {
    clearTimeout(this.#headStart);
    if (this.#next === this.#addresses.length) {
      if (this.#tries.size === 0) this.#fail(new OriginError('refused', this.#faults.join('; ')));
      return;
    }
    const address = this.#addresses[this.#next++];
    let tls: SocketTls | null;
    try {
      tls = this.#target.tls();
    } catch (error) {
      this.#fail(new OriginError('tls', `the TLS options of the origin: ${(error as Error).message}`));
      return;
    }
    this.#tries.add(this.#tools.open(address, this.#target.port, tls, this));
    if (this.#next < this.#addresses.length) this.#headStart = setTimeout(() => this.#tryNext(), HEAD_START);
  }

  /** TCP stands: the first address has won. */
  onConnected(socket: OriginSocket): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#headStart);
    this.#isConnected = true;
    for (const other of this.#tries) if (other !== socket) other.destroy();
    this.#tries.clear();
    this.#tries.add(socket);
    this.#timer = setTimeout(
      () => this.#fail(new OriginError('connect-timeout', `${socket.address}: TLS handshake timed out`)),
      Math.max(1, this.#begin + this.#target.limits.tlsTimeout - performance.now()),
    );
  }

  onReady(socket: OriginSocket): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#tries.clear();
    this.#owner.onDialled(this, socket);
  }

  onFailed(socket: OriginSocket, error: Error): void {
    this.#tries.delete(socket);
    const why = `${socket.address}: ${error.message}`;
    this.#faults.push(why);
    if (this.#isConnected) this.#fail(new OriginError('tls', why));
    else this.#tryNext();
  }

  #late(): OriginError {
    if (this.#addresses.length === 0) return new OriginError('unresolved', 'the resolvers did not answer in time');
    return new OriginError(
      'connect-timeout',
      `no answer from ${[...this.#tries].map(({ address }) => address).join(', ')}`,
    );
  }

  #fail(error: OriginError): void {
    if (this.#isOver) return;
    this.abort();
    this.#owner.onDialFailed(this, error);
  }
}

/** The operator's exemptions, and our own addresses, where the edge would ask itself. */
type Guard = ConnectRule;

/**
 * Which addresses may be connected to for a customer: asked of every address, at every new
 * connection, since names change between check and use (DNS rebinding).
 *
 * Those that may be. Throws OriginError `forbidden` when there is none.
 */
function permitted(addresses: readonly Uint8Array[], guard: Guard): Uint8Array[] {
  if (addresses.length === 0) throw new OriginError('forbidden', 'its records have no public address');
  const found = permittedAddresses(addresses, guard);
  if (found.permitted.length === 0)
    throw new OriginError('forbidden', `no address that may be connected to: ${found.refusals.join('; ')}`);
  return found.permitted;
}
