/** Accepts the TLS connections of a thread, and holds the objects that they share. */
import { Client } from '../../../core/net/address/client.ts';
import type { DescriptorLoop, LoopTask } from '../../../core/os/descriptor-loop.ts';
import { EPOLLET, EPOLLHUP, EPOLLIN, EPOLLRDHUP } from '../../../core/os/libc.ts';
import { AF_INET } from '../../../core/os/socket-constants.ts';
import type { TcpCalls } from '../../../core/os/tcp-calls.ts';
import type { TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import type { TlsCertificate } from './certificate.ts';
import { ClientHello, MAX_HELLO } from './client-hello.ts';
import { type ConnectionLoop, TlsConnection, type TlsOwner } from './connection.ts';
import { TlsContext } from './context.ts';
import { Credentials } from './credentials.ts';
import type { Openssl } from './native/library.ts';
import { Memory } from './native/memory.ts';
import { Objects } from './native/ownership.ts';
import type { Ssl } from './native/ssl.ts';
import type { SharedPlaces } from './places.ts';
import { testOpenssl } from './self-test.ts';

/** Connections accepted from a listening socket in a turn. */
const ACCEPTS = 64;
/** Milliseconds until the next accept after the process ran out of descriptors. */
const ACCEPT_RETRY_MS = 200;
/** Four records of TLS; a ClientHello fits. */
const BUFFER = 65_536;
export interface TlsLoopOptions {
  /** Keeps its descriptors in `places.fds`. */
  readonly loop: DescriptorLoop;
  readonly places: SharedPlaces;
  /** Seconds for which a session may be resumed. */
  readonly ticketLifetime: number;
  readonly tickets: TicketKeys;
  /** For tests: OpenSSL with functions that fail. */
  readonly openssl?: Openssl;
  /** Returns the owner of a new connection; null closes it. The owner may keep `client`. */
  readonly accept: (client: Client) => TlsOwner | null;
}

export class TlsLoop implements ConnectionLoop {
  readonly calls: TcpCalls;
  readonly context: TlsContext;
  readonly hello = new ClientHello();
  /** Buffer of the last read. */
  readonly shared = new Memory(Math.max(BUFFER, MAX_HELLO));
  readonly helloEvents = (EPOLLIN | EPOLLRDHUP | EPOLLET) >>> 0;
  readonly hangUpEvents = EPOLLRDHUP | EPOLLHUP;
  readonly #accept: TlsLoopOptions['accept'];
  readonly #credentials: Credentials;
  readonly #loop: DescriptorLoop;
  /** Descriptors of the listening sockets, by slot. */
  readonly #listeners = new Map<number, number>();
  #acceptTimer: NodeJS.Timeout | undefined;
  #open = 0;
  #isClosed = false;

  /** Throws an Error if OpenSSL lacks a needed feature, or if its self-test fails. */
  constructor(options: TlsLoopOptions) {
    const { loop, places, accept, ticketLifetime, tickets, openssl } = options;
    testOpenssl(places.quick, openssl);
    this.#loop = loop;
    this.#accept = accept;
    this.calls = loop.calls;
    const objects = new Objects(places.objects, openssl);
    this.context = new TlsContext(objects, ticketLifetime);
    this.setTickets(tickets);
    this.#credentials = new Credentials(objects, places.certificates, places.quick);
  }

  /** Changes the ticket keys. */
  setTickets(keys: TicketKeys): void {
    this.context.ssl.setTickets(keys);
  }

  /** Connections with an open descriptor. */
  get open(): number {
    return this.#open;
  }

  /** Accepts from a non-blocking listening socket. The loop closes it. */
  listen(fd: number): void {
    const slot = this.#loop.enter(fd);
    if (slot < 0) throw new RangeError('too many listening sockets');
    this.#listeners.set(slot, fd);
    this.#loop.watch(slot, EPOLLIN, { event: () => this.#acceptFrom(fd) });
  }

  stopListening(): void {
    clearTimeout(this.#acceptTimer);
    for (const [slot, fd] of this.#listeners) {
      this.#loop.leave(slot);
      this.calls.close(fd);
    }
    this.#listeners.clear();
  }

  /** Requires that all connections are closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stopListening();
    this.#credentials.close();
    this.context.close();
  }

  // Called by connections.

  /** Runs `task` soon, after this call. */
  put(task: LoopTask): void {
    this.#loop.later(task);
  }

  /** An SSL that the caller frees; null: the certificate is unusable. */
  sslFor(owner: TlsOwner, serverName: string, certificate: TlsCertificate): Ssl | null {
    let ssl: Ssl | null = null;
    try {
      const { policy } = owner;
      ssl = this.#credentials.open(this.context.ssl, certificate);
      this.context.bind(ssl, serverName, policy);
      if (policy?.requiresTls13) ssl.requireTls13();
      if (policy?.clients) this.#credentials.requestClient(ssl, policy.clients);
      return ssl;
    } catch (error) {
      ssl?.free();
      owner.certificateFailed(error);
      return null;
    }
  }

  releaseSlot(slot: number): void {
    this.#loop.leave(slot);
    this.#open--;
  }

  detach(slot: number, fd: number): void {
    this.calls.unwatch(fd);
    this.releaseSlot(slot);
  }

  #acceptFrom(listener: number): void {
    const { calls } = this;
    for (let n = 0; n < ACCEPTS; n++) {
      const accepted = calls.accept(listener);
      if (accepted < -1) this.#pauseAccepting();
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
    const slot = this.#loop.enter(fd);
    const owner = slot < 0 ? null : this.#accept(client);
    if (owner === null) {
      if (slot >= 0) this.#loop.leave(slot);
      calls.close(fd);
      return;
    }
    const connection = new TlsConnection(this, owner, fd, slot);
    this.#open++;
    owner.begun(connection);
    if (!this.#loop.watch(slot, EPOLLIN, connection)) connection.destroy();
  }

  /**
   * Pauses accepting after the process ran out of descriptors. Otherwise epoll would report the
   * pending connection repeatedly.
   */
  #pauseAccepting(): void {
    this.#watchListeners(0);
    clearTimeout(this.#acceptTimer);
    this.#acceptTimer = setTimeout(() => this.#watchListeners(EPOLLIN), ACCEPT_RETRY_MS);
  }

  #watchListeners(events: number): void {
    for (const slot of this.#listeners.keys()) this.#loop.change(slot, events);
  }
}
