/** The TLS connections of a thread: accepted, watched and read from one epoll descriptor, which wakes the thread's event loop. */
import { Client } from '../../core/answer/client.ts';
import { EPOLLET, EPOLLHUP, EPOLLIN, EPOLLRDHUP } from '../../core/net/epoll.ts';
import { TcpCalls } from '../../core/net/tcp-calls.ts';
import type { TicketKeys } from '../../core/net/tls-tickets.ts';
import { ClientHello, MAX_HELLO } from './client-hello.ts';
import { TlsConnection } from './connection.ts';
import { TlsContext } from './context.ts';
import { Credentials } from './credentials.ts';
import { LoopWake } from './loop-wake.ts';
import { fixedMemory, loadOpenssl, type Openssl } from './openssl.ts';
import type { TlsOwner } from './owner.ts';
import { OWN_PLACES, Places, type SharedPlaces } from './places.ts';

/** Connections accepted in a turn of one socket. */
const ACCEPTS = 64;
/** Milliseconds until sockets are accepted from again when there was no descriptor. */
const REST_MS = 200;
/** Four records of TLS; a ClientHello fits. */
const BUFFER = 65_536;
const AF_INET = 2;
/** The places of the thread's own descriptors. */
const EPOLL_PLACE = 0;
const PAIR_PLACE = 1;
const FIRST_LISTENER = 2;

export interface TlsLoopOptions {
  readonly places: SharedPlaces;
  /** Seconds that a session may be resumed. */
  readonly ticketLifetime: number;
  readonly tickets: TicketKeys;
  /** A client has connected: whose its connection is, or null: it is closed. The client is the owner's to keep. */
  readonly accept: (client: Client) => TlsOwner | null;
}

export class TlsLoop {
  readonly openssl: Openssl = loadOpenssl();
  readonly calls = new TcpCalls();
  readonly context: TlsContext;
  readonly credentials: Credentials;
  readonly hello = new ClientHello();
  /** What was read last. */
  readonly shared = fixedMemory(Math.max(BUFFER, MAX_HELLO));
  /** Events of a ClientHello of which a part has come, and what of them means that no more comes. */
  readonly edges = (EPOLLIN | EPOLLRDHUP | EPOLLET) >>> 0;
  readonly ended = EPOLLRDHUP | EPOLLHUP;
  readonly #accept: TlsLoopOptions['accept'];
  readonly #places: Places;
  readonly #wake: LoopWake;
  /** By place. */
  readonly #connections: (TlsConnection | undefined)[] = [];
  readonly #free: number[] = [];
  /** Free from the next turn on: events of this one may still be theirs. */
  readonly #freed: number[] = [];
  #nextPlace = OWN_PLACES;
  #listeners: number[] = [];
  #restTimer: NodeJS.Timeout | undefined;
  #due: TlsConnection[] = [];
  #isInTurn = false;
  #isDueSoon = false;
  #open = 0;
  #isClosed = false;

  /** Throws an Error that says what is missing here. */
  constructor(options: TlsLoopOptions) {
    const places = new Places(options.places);
    let context: TlsContext | undefined;
    try {
      context = new TlsContext(this.openssl, options.ticketLifetime, places.context);
      this.#wake = new LoopWake(this.calls.epoll, () => this.#turn());
    } catch (error) {
      context?.close();
      this.calls.close(this.calls.epoll);
      throw error;
    }
    context.setTickets(options.tickets);
    this.context = context;
    this.credentials = new Credentials(this.openssl, places);
    this.#accept = options.accept;
    this.#places = places;
    this.#places.fds[EPOLL_PLACE] = this.calls.epoll + 1;
    this.#places.fds[PAIR_PLACE] = this.#wake.other + 1;
  }

  /** Connections whose descriptor is open. */
  get open(): number {
    return this.#open;
  }

  /** Accepts from a socket that listens and does not block, and is the loop's from now on. */
  listen(fd: number): void {
    const place = FIRST_LISTENER + this.#listeners.length;
    if (place >= OWN_PLACES) throw new RangeError('too many listening sockets');
    this.#listeners.push(fd);
    this.#places.fds[place] = fd + 1;
    this.calls.watch(fd, place, EPOLLIN);
  }

  stopListening(): void {
    clearTimeout(this.#restTimer);
    this.#listeners.forEach((fd, i) => {
      this.#places.fds[FIRST_LISTENER + i] = 0;
      this.calls.close(fd);
    });
    this.#listeners = [];
  }

  /** To be called when no connection is left. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stopListening();
    this.#places.fds[EPOLL_PLACE] = 0;
    this.#places.fds[PAIR_PLACE] = 0;
    this.#wake.close();
    this.credentials.close();
    this.context.close();
    this.calls.close(this.calls.epoll);
  }

  // From connections.

  /** `connection` has something that is due: soon, and not within this call. */
  put(connection: TlsConnection): void {
    this.#due.push(connection);
    if (this.#isInTurn || this.#isDueSoon) return;
    this.#isDueSoon = true;
    process.nextTick(() => this.#runDue());
  }

  /** An SSL, the caller's; 0: there is no certificate, or none that can be used. */
  sslFor(owner: TlsOwner, serverName: string): number {
    const certificate = owner.certificateFor(serverName);
    if (certificate === undefined) return 0;
    try {
      return this.credentials.open(this.context.address, certificate);
    } catch (error) {
      owner.certificateFailed(error);
      return 0;
    }
  }

  holds(place: number, ssl: number): void {
    this.#places.objects[place] = ssl;
  }

  /** What is at the place is going to be freed. */
  forgets(place: number): void {
    this.#places.objects[place] = 0;
    this.#places.fds[place] = 0;
    this.#connections[place] = undefined;
    this.#freed.push(place);
    this.#open--;
  }

  /** Its descriptor becomes somebody else's. */
  leaves(place: number, fd: number): void {
    this.calls.unwatch(fd);
    this.forgets(place);
  }

  #turn(): void {
    const { calls } = this;
    this.#isInTurn = true;
    for (let place = this.#freed.pop(); place !== undefined; place = this.#freed.pop()) this.#free.push(place);
    const count = calls.wait(0);
    for (let i = 0; i < count; i++) {
      const place = calls.tag(i);
      if (place < OWN_PLACES) this.#acceptFrom(place - FIRST_LISTENER);
      else this.#connections[place]?.event(calls.ready(i));
    }
    this.#isInTurn = false;
    if (this.#due.length > 0) this.#runDue();
  }

  /** What becomes due meanwhile waits for the next turn of the loop, so that nobody keeps it from others. */
  #runDue(): void {
    const due = this.#due;
    this.#due = [];
    this.#isDueSoon = true;
    for (const connection of due) connection.runDue();
    this.#isDueSoon = false;
    if (this.#due.length === 0) return;
    this.#isDueSoon = true;
    setImmediate(() => this.#runDue());
  }

  #acceptFrom(listener: number): void {
    const { calls } = this;
    const fd = this.#listeners[listener];
    for (let n = 0; n < ACCEPTS && fd !== undefined; n++) {
      const accepted = calls.accept(fd);
      if (accepted < -1) this.#rest();
      if (accepted < 0) return;
      this.#admit(accepted);
    }
  }

  #admit(fd: number): void {
    const { calls } = this;
    const { peer } = calls;
    const client = new Client();
    if (peer[0] === AF_INET) client.setAddress(peer, 4, 4);
    else client.setAddress(peer, 8, 16);
    client.port = (peer[2] << 8) | peer[3];
    const place = this.#free.pop() ?? this.#nextPlace++;
    const owner = place < this.#places.fds.length ? this.#accept(client) : null;
    if (owner === null) {
      this.#free.push(place);
      calls.close(fd);
      return;
    }
    const connection = new TlsConnection(this, owner, fd, place);
    this.#connections[place] = connection;
    this.#places.fds[place] = fd + 1;
    this.#open++;
    owner.begun(connection);
    if (!calls.watch(fd, place, EPOLLIN)) connection.destroy();
  }

  /** There is no descriptor for a connection that waits: it would be told again and again. */
  #rest(): void {
    this.#watchListeners(0);
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#watchListeners(EPOLLIN), REST_MS);
  }

  #watchListeners(events: number): void {
    this.#listeners.forEach((fd, i) => {
      this.calls.change(fd, FIRST_LISTENER + i, events);
    });
  }
}
