/**
 * Opens a connection to an origin: looks up its addresses, checks them, and tries them with a
 * connection attempt delay (RFC 8305 section 5), all within the connect timeout. It connects only
 * to checked address literals, never to a name.
 */
import { type ConnectRule, formatAddress, parseAddress, permittedAddresses } from '../../core/net/address/index.ts';
import { connectFault } from '../../core/net/dial/connect-fault.ts';
import type { AddressBook } from './address-book.ts';
import type { OriginLimits } from './limits.ts';
import { OriginError } from './origin.ts';
import type { OpenSocket, OriginSocket, SocketAttempt, SocketTls } from './sockets.ts';

/**
 * The Connection Attempt Delay of RFC 8305 section 5, in milliseconds: then the next address is
 * tried concurrently.
 */
const ATTEMPT_DELAY_MS = 250;

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** As `Origin.addresses`. */
  readonly addresses: readonly string[] | undefined;
  readonly limits: OriginLimits;
  /**
   * Null: plain HTTP. Throws when the certificates of the origin's options cannot be read.
   * `preface`: as in SocketTls.
   */
  tls(preface: Uint8Array | null): SocketTls | null;
}

export interface DialTools {
  readonly book: AddressBook;
  readonly guard: Guard;
  readonly open: OpenSocket;
}

/** Exactly one of these methods is called, once, unless the dial was aborted. */
export interface DialOwner {
  /** The owner must `start` the socket. */
  onDialled(dial: Dial, socket: OriginSocket): void;
  onDialFailed(dial: Dial, error: OriginError): void;
}

export class Dial implements SocketAttempt {
  readonly #target: DialTarget;
  readonly #tools: DialTools;
  readonly #owner: DialOwner;
  readonly #prefaceTo: ((address: string) => Uint8Array) | null;
  /** All addresses of the host in text, including those that are not permitted. */
  resolved: readonly string[] = [];
  /** Permitted addresses, in text. */
  #addresses: readonly string[] = [];
  #next = 0;
  #begin = 0;
  readonly #tries = new Set<OriginSocket>();
  readonly #faults: string[] = [];
  readonly #errors: Error[] = [];
  #isTls = false;
  #isConnected = false;
  #isOver = false;
  #attemptDelay: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `prefaceTo`: the bytes with which a connection to an address begins; null: none. */
  constructor(
    target: DialTarget,
    tools: DialTools,
    owner: DialOwner,
    prefaceTo: ((address: string) => Uint8Array) | null = null,
  ) {
    this.#prefaceTo = prefaceTo;
    this.#target = target;
    this.#tools = tools;
    this.#owner = owner;
  }

  start(): void {
    this.#begin = performance.now();
    this.#timer = setTimeout(() => this.#fail(this.#timeoutError()), this.#target.limits.connectTimeout);
    this.#permitted().then(
      (addresses) => {
        if (this.#isOver) return;
        this.#addresses = addresses;
        this.#tryNext();
      },
      (error: OriginError) => this.#fail(error),
    );
  }

  /** Cancels the dial. No callback follows. */
  abort(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#attemptDelay);
    for (const socket of this.#tries) socket.destroy();
    this.#tries.clear();
  }

  /**
   * Permitted addresses, in text. The address of the latest connection is first, if it is still
   * among them.
   */
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
    clearTimeout(this.#attemptDelay);
    if (this.#next === this.#addresses.length) {
      if (this.#tries.size === 0) this.#fail(this.#connectError());
      return;
    }
    const address = this.#addresses[this.#next++];
    let tls: SocketTls | null;
    try {
      tls = this.#target.tls(this.#prefaceTo?.(address) ?? null);
    } catch (error) {
      this.#fail(new OriginError('tls', `the TLS options of the origin: ${(error as Error).message}`));
      return;
    }
    this.#isTls = tls !== null;
    this.#tries.add(this.#tools.open(address, this.#target.port, tls, this));
    if (this.#next < this.#addresses.length) this.#attemptDelay = setTimeout(() => this.#tryNext(), ATTEMPT_DELAY_MS);
  }

  /** The first TCP connection wins; the other attempts are aborted. */
  onConnected(socket: OriginSocket): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#attemptDelay);
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
    // With TLS, the socket has sent it before the handshake.
    if (this.#prefaceTo !== null && !this.#isTls) socket.write(this.#prefaceTo(socket.address));
    this.#owner.onDialled(this, socket);
  }

  onFailed(socket: OriginSocket, error: Error): void {
    this.#tries.delete(socket);
    const why = `${socket.address}: ${error.message}`;
    this.#faults.push(why);
    this.#errors.push(error);
    if (this.#isConnected) this.#fail(new OriginError('tls', why));
    else this.#tryNext();
  }

  /** After an error at every address. */
  #connectError(): OriginError {
    const fault = connectFault({ errors: this.#errors });
    const isLate = fault === 'timed out';
    return new OriginError(
      isLate ? 'connect-timeout' : fault === 'unreachable' ? 'unreachable' : 'refused',
      this.#faults.join('; '),
    );
  }

  #timeoutError(): OriginError {
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

/**
 * The operator's exemptions, and our own addresses, which would make the edge send requests to
 * itself.
 */
type Guard = ConnectRule;

/**
 * Returns the addresses that a customer's origin may have. Every address is checked at every new
 * connection, since names change between check and use (DNS rebinding).
 *
 * Throws OriginError `forbidden` when none is permitted.
 */
function permitted(addresses: readonly Uint8Array[], guard: Guard): Uint8Array[] {
  if (addresses.length === 0) throw new OriginError('forbidden', 'its records have no public address');
  const found = permittedAddresses(addresses, guard);
  if (found.permitted.length === 0)
    throw new OriginError('forbidden', `no address that may be connected to: ${found.refusals.join('; ')}`);
  return found.permitted;
}
