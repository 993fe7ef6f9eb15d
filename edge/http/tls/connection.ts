/**
 * A TLS connection. It peeks at the ClientHello, does the handshake, and then transfers bytes until
 * it is closed. Nothing here blocks, and no input of a client makes it throw.
 */
import type { LoopTask } from '../../../core/os/descriptor-loop.ts';
import { EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT } from '../../../core/os/libc.ts';
import { AGAIN, type TcpCalls } from '../../../core/os/tcp-calls.ts';
import { costOfBytes, HANDSHAKE_COST, type TurnShare } from '../transport/flusher.ts';
import { type ProxyEndpoint, readProxyHeader } from '../transport/proxy-protocol.ts';
import type { Transport, TransportReceiver } from '../transport/transport.ts';
import { clientCertField, MAX_CLIENT_CERTIFICATE, type TlsCertificate, type TlsPolicy } from './certificate.ts';
import { type ClientHello, HELLO } from './client-hello.ts';
import type { TlsContext } from './context.ts';
import type { Memory } from './native/memory.ts';
import { SSL_ERROR, type Ssl } from './native/ssl.ts';
import { MAX_IDLE_MESSAGES, UNRECOGNIZED_NAME } from './profile.ts';

/** DELAYED: the ClientHello was accepted, and the handshake waits for the site's next turn. */
const STATE = { HELLO: 0, HANDSHAKE: 1, OPEN: 2, CLOSED: 3, DELAYED: 4, PROXY_HEADER: 5 } as const;

/** Work that a connection has scheduled for its next `runDue`. */
const DUE = { READ: 1, WRITTEN: 2, BROKEN: 4, CLOSED: 8, HANDSHAKE: 16 } as const;

const EPOLLERR_HUP = EPOLLERR | EPOLLHUP;

const ABANDONED = new Error('the connection has closed');
const RECORD_BYTES = 16_384;
/** Records read in a turn. A small record costs as much as a large one. */
const MAX_RECORDS = 64;
/**
 * Bytes of four TLS 1.3 records with their headers, tags and types (RFC 8446 section 5.2). OpenSSL
 * reads this much at once from a client that uploads, and writes this much at once of a large
 * write. Other connections read one record at a time, since OpenSSL allocates the buffer per read.
 */
const FOUR_RECORDS = 4 * (5 + RECORD_BYTES + 1 + 16);

/** The owner of a connection. */
export interface TlsOwner {
  /** Called first, with the new connection. */
  begun(connection: TlsConnection): void;
  /**
   * The certificate of a server name (lower case, never empty). Undefined: the client receives the
   * alert unrecognized_name.
   */
  certificateFor(serverName: string): TlsCertificate | undefined;
  /**
   * Whether the handshake for `serverName` may start. Called before the members below. False: the
   * connection is closed, and the owner has counted it.
   */
  admit(serverName: string): boolean;
  /** Whether the connection begins with a header of the PROXY protocol. */
  readonly awaitsProxyHeader: boolean;
  /**
   * The client that this header states. False: the connection is closed, and the owner has counted
   * it.
   */
  admitSource(source: ProxyEndpoint): boolean;
  /** The site's share of turns; null: the connection never waits for a turn. */
  readonly share: TurnShare | null;
  /** The site's TLS policy; null: none. Read after `admit`, as is `share`. */
  readonly policy: TlsPolicy | null;
  /** The certificate is unusable. The connection continues as without a certificate. */
  certificateFailed(error: unknown): void;
  /**
   * Hands over a socket whose ClientHello has no server name, requests another protocol or has an
   * unusual form. All its bytes are still unread. From now on the owner closes it.
   */
  handOver(fd: number): void;
  /** The handshake is complete. The owner has to call `start` during this call. */
  secured(connection: TlsConnection): void;
  /** The handshake failed. `closed` follows. */
  failed(reason: 'unrecognized_name' | 'handshake_failed' | 'bad_proxy_header'): void;
  /** The descriptor is closed. Called once, but not after `handOver`. */
  closed(): void;
}

/** The loop of a connection, as the connection uses it. */
export interface ConnectionLoop {
  readonly calls: TcpCalls;
  readonly context: TlsContext;
  readonly hello: ClientHello;
  /** Buffer of the last read, shared by the connections of the thread. */
  readonly shared: Memory;
  /** Events that epoll watches while a ClientHello is incomplete. */
  readonly helloEvents: number;
  /** Events after which the client sends nothing more. */
  readonly hangUpEvents: number;
  /** Runs `task` soon, after this call. */
  put(task: LoopTask): void;
  /** A new SSL with the certificate for `serverName`; null: the certificate is unusable. */
  sslFor(owner: TlsOwner, serverName: string, certificate: TlsCertificate): Ssl | null;
  /** Frees the slot. The caller closes its descriptor afterwards. */
  releaseSlot(slot: number): void;
  /** Stops watching `fd` and frees the slot. The descriptor stays open for its new owner. */
  detach(slot: number, fd: number): void;
}

export class TlsConnection implements Transport {
  /** In lower case. */
  serverName = '';
  /** False: HTTP/1.1. */
  isHttp2 = false;
  isTls13 = false;
  isResumed = false;
  /** The client's verified certificate as a value of the field Client-Cert; empty: none. */
  clientCertificate = '';
  readonly slot: number;
  readonly #loop: ConnectionLoop;
  readonly #owner: TlsOwner;
  #fd: number;
  /** The site's share of turns; null: no share, or the site is not known yet. */
  #share: TurnShare | null = null;
  #ssl: Ssl | null = null;
  /** Set during the handshake only. */
  #certificate: TlsCertificate | null = null;
  #state: number;
  /** Events that epoll watches. */
  #events: number;
  #due = 0;
  #receiver: TransportReceiver | null = null;
  #writing: Buffer | null = null;
  #writtenTo = 0;
  #done: ((error?: Error | null) => void) | null = null;
  #isPaused = false;
  #hasPeerEnded = false;
  #isEnding = false;
  #hasEnded = false;
  /** The read buffer holds FOUR_RECORDS. */
  #hasLargeBuffer = false;
  /** A read or the shutdown waits until the socket is writable. */
  #wantsWritable = false;
  /** Consecutive messages without data. */
  #idleMessages = 0;

  /** `fd` is watched for EPOLLIN under `slot`. */
  constructor(loop: ConnectionLoop, owner: TlsOwner, fd: number, slot: number) {
    this.#loop = loop;
    this.#owner = owner;
    this.#fd = fd;
    this.slot = slot;
    this.#events = EPOLLIN;
    this.#state = owner.awaitsProxyHeader ? STATE.PROXY_HEADER : STATE.HELLO;
  }

  // Called by the loop.

  event(ready: number): void {
    if (this.#state === STATE.HELLO) this.#readHello(ready);
    else if (this.#state === STATE.HANDSHAKE) this.#shakeHands();
    else if (this.#state === STATE.DELAYED) this.#fail();
    else if (this.#state === STATE.PROXY_HEADER) this.#readProxyHeader(ready);
    else if (this.#state === STATE.OPEN) {
      // Epoll is level-triggered here and reports the event again.
      if (this.#share?.isSpent) return;
      if ((ready & EPOLLOUT) !== 0) this.#onWritable();
      if (this.#state !== STATE.OPEN) return;
      // A broken connection is closed even if it is paused or the client has ended its side.
      if ((ready & EPOLLERR_HUP) !== 0 && (this.#isPaused || this.#hasPeerEnded)) this.#close();
      else if ((ready & (EPOLLIN | EPOLLERR_HUP)) !== 0 && !this.#isPaused) this.#read();
    }
  }

  /** Runs the scheduled work. */
  runDue(): void {
    const due = this.#due;
    this.#due = 0;
    if ((due & DUE.BROKEN) !== 0) this.#close();
    if ((due & (DUE.WRITTEN | DUE.BROKEN | DUE.CLOSED)) !== 0) {
      const done = this.#done;
      if (done !== null && (this.#writing === null || this.#state === STATE.CLOSED)) {
        this.#done = null;
        this.#writing = null;
        done(this.#state === STATE.CLOSED ? ABANDONED : null);
      }
      if (this.#isEnding) this.#finish();
    }
    if ((due & DUE.HANDSHAKE) !== 0 && this.#state === STATE.DELAYED) this.#beginInTurn();
    if ((due & DUE.READ) !== 0 && this.#state === STATE.OPEN && !this.#isPaused) {
      if (this.#share?.isSpent) this.#schedule(DUE.READ);
      else this.#read();
    }
    if ((due & DUE.CLOSED) === 0) return;
    const receiver = this.#receiver;
    this.#receiver = null;
    receiver?.onClose();
    this.#owner.closed();
  }

  // The handshake.

  #readProxyHeader(ready: number): void {
    const { calls, shared } = this.#loop;
    const length = calls.peek(this.#fd, shared.address, shared.bytes.length);
    if (length === AGAIN) return;
    const header = length > 0 ? readProxyHeader(shared.bytes.subarray(0, length)) : null;
    if (header === undefined && (ready & this.#loop.hangUpEvents) === 0) {
      this.#watch(this.#loop.helloEvents);
      return;
    }
    if (header == null) {
      this.#owner.failed('bad_proxy_header');
      this.#close();
      return;
    }
    calls.receive(this.#fd, shared.address, header.length);
    if (header.source !== null && !this.#owner.admitSource(header.source)) {
      this.#close();
      return;
    }
    this.#state = STATE.HELLO;
    this.#watch(EPOLLIN);
    this.#readHello(ready);
  }

  #readHello(ready: number): void {
    const { calls, hello, shared } = this.#loop;
    const length = calls.peek(this.#fd, shared.address, shared.bytes.length);
    if (length === 0 || length < -1) {
      this.#fail();
      return;
    }
    if (length < 0) return;
    const outcome = hello.read(shared.bytes, length);
    if (outcome === HELLO.INCOMPLETE) {
      // The client sends nothing more.
      if ((ready & this.#loop.hangUpEvents) !== 0) this.#fail();
      // The peeked bytes stay in the socket, so level-triggered epoll would report them repeatedly.
      else this.#watch(this.#loop.helloEvents);
      return;
    }
    // Without a default certificate, node:tls sends the alert to clients without a name.
    const isNameless = hello.serverName === '' && this.#owner.certificateFor('') === undefined;
    if (outcome === HELLO.UNUSUAL || !hello.isOurs || isNameless) this.#handOver();
    else {
      this.isHttp2 = hello.offersHttp2;
      this.#admit(hello.serverName);
    }
  }

  #admit(serverName: string): void {
    if (!this.#owner.admit(serverName)) {
      this.#closeAfterAlert();
      return;
    }
    this.serverName = serverName;
    this.#share = this.#owner.share;
    this.#beginInTurn();
  }

  #beginInTurn(): void {
    if (this.#share?.isSpent) {
      this.#state = STATE.DELAYED;
      this.#watch(0);
      this.#schedule(DUE.HANDSHAKE);
      return;
    }
    this.#share?.spend(HANDSHAKE_COST);
    this.#begin();
  }

  #begin(): void {
    const { serverName } = this;
    this.#certificate = this.#owner.certificateFor(serverName) ?? null;
    if (this.#certificate !== null) this.#ssl = this.#loop.sslFor(this.#owner, serverName, this.#certificate);
    if (this.#ssl === null) {
      this.#loop.calls.sendArray(this.#fd, UNRECOGNIZED_NAME);
      this.#owner.failed('unrecognized_name');
      this.#closeAfterAlert();
    } else if (this.#ssl.attach(this.#fd)) {
      this.#state = STATE.HANDSHAKE;
      this.#shakeHands();
    } else this.#fail();
  }

  #shakeHands(): void {
    const { context } = this.#loop;
    const ssl = this.#ssl as Ssl;
    context.selectsHttp2 = this.isHttp2;
    context.connection = ssl;
    context.certificate = this.#certificate;
    if (!ssl.accept()) {
      if (ssl.error === SSL_ERROR.WANT_READ) this.#watch(EPOLLIN);
      else if (ssl.error === SSL_ERROR.WANT_WRITE) this.#watch(EPOLLOUT);
      else this.#fail();
      return;
    }
    this.#certificate = null;
    context.connection = null;
    context.certificate = null;
    this.#watch(EPOLLIN);
    this.#state = STATE.OPEN;
    context.ssl.watchMessages(ssl);
    this.isTls13 = ssl.isTls13;
    this.isResumed = ssl.isResumed;
    if (this.#owner.policy !== null && this.#owner.policy.clients !== null) {
      const certificate = ssl.peerCertificate(MAX_CLIENT_CERTIFICATE);
      if (certificate === undefined) {
        this.#fail();
        return;
      }
      if (certificate !== null) this.clientCertificate = clientCertField(certificate);
    }
    this.#owner.secured(this);
  }

  #handOver(): void {
    const fd = this.#fd;
    this.#state = STATE.CLOSED;
    this.#fd = -1;
    this.#loop.detach(this.slot, fd);
    this.#owner.handOver(fd);
  }

  #fail(): void {
    this.#owner.failed('handshake_failed');
    this.#closeAfterAlert();
  }

  /**
   * Closes so that an alert reaches the client. Received bytes are read first, since closing a
   * socket with unread bytes resets the connection and loses the alert.
   */
  #closeAfterAlert(): void {
    const { calls, shared } = this.#loop;
    calls.finish(this.#fd);
    calls.receive(this.#fd, shared.address, shared.bytes.length);
    this.#close();
  }

  // Transport.

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    if (this.#state === STATE.OPEN) this.#schedule(DUE.READ);
  }

  write(bytes: Buffer, done: (error?: Error | null) => void): void {
    this.#done = done;
    this.#writing = bytes;
    this.#writtenTo = 0;
    this.#share?.spend(costOfBytes(bytes.length));
    if (this.#state === STATE.CLOSED) this.#schedule(DUE.WRITTEN);
    else this.#sendPending();
  }

  get unsent(): number {
    if (this.#writing === null) return 0;
    return this.#writing.length - this.#writtenTo + (this.#ssl === null ? 0 : this.#ssl.buffered);
  }

  get unacknowledged(): number {
    return this.#fd < 0 ? 0 : this.#loop.calls.unacknowledged(this.#fd);
  }

  pause(): void {
    if (this.#state !== STATE.OPEN) return;
    this.#isPaused = true;
    this.#updateEvents();
  }

  resume(): void {
    if (this.#state !== STATE.OPEN || !this.#isPaused) return;
    this.#isPaused = false;
    this.#updateEvents();
    // OpenSSL may already hold bytes that epoll does not report.
    this.#schedule(DUE.READ);
  }

  end(): void {
    if (this.#state !== STATE.OPEN) return;
    this.#isEnding = true;
    this.#schedule(DUE.WRITTEN);
  }

  destroy(): void {
    this.#close();
  }

  // Reading and writing.

  #read(): void {
    if (this.#hasPeerEnded) return;
    const { context, shared } = this.#loop;
    const ssl = this.#ssl as Ssl;
    let data = 0;
    let hasMore = true; // OpenSSL may hold bytes that epoll does not report
    context.idleMessages = this.#idleMessages;
    for (let n = 0; hasMore && n < MAX_RECORDS && data + RECORD_BYTES <= shared.bytes.length; n++) {
      const before = context.idleMessages;
      const count = n === 0 ? ssl.read(shared, data) : ssl.readMore(shared, data);
      if (count === 0) {
        // Since version 3.2 SSL_read returns after a KeyUpdate and SSL_has_pending returns 0, even
        // if OpenSSL has read more bytes than the KeyUpdate.
        if (context.idleMessages > before && context.idleMessages <= MAX_IDLE_MESSAGES) continue;
        break;
      }
      data += count;
      context.idleMessages = 0;
      hasMore = ssl.hasPending;
    }
    this.#idleMessages = context.idleMessages;
    const { error } = ssl;
    if (data > RECORD_BYTES && !this.#hasLargeBuffer) {
      this.#hasLargeBuffer = true;
      ssl.setReadAhead(FOUR_RECORDS);
    }
    if (data > 0) this.#receiver?.onBytes(shared.bytes.subarray(0, data));
    // Spent after the requests of this read have run: the first of them starts within the read.
    this.#share?.spend(costOfBytes(data));
    if (this.#state !== STATE.OPEN) return;
    if (error === SSL_ERROR.NONE) {
      if (hasMore && !this.#isPaused) this.#schedule(DUE.READ);
    } else if (error === SSL_ERROR.ZERO_RETURN) this.#peerEnded();
    else if (error === SSL_ERROR.WANT_WRITE) {
      this.#wantsWritable = true;
      this.#updateEvents();
    } else if (error !== SSL_ERROR.WANT_READ || this.#idleMessages > MAX_IDLE_MESSAGES) this.#close();
  }

  #peerEnded(): void {
    this.#hasPeerEnded = true;
    this.#updateEvents();
    this.#receiver?.onEnd();
    if (this.#hasEnded) this.#close();
  }

  /** Sends as much of the pending write as the socket accepts. */
  #sendPending(): void {
    const bytes = this.#writing;
    if (bytes === null) return;
    const ssl = this.#ssl as Ssl;
    if (bytes.length > RECORD_BYTES) ssl.startBuffering(FOUR_RECORDS);
    this.#writtenTo = ssl.write(bytes, this.#writtenTo);
    if (this.#writtenTo < bytes.length) {
      if (ssl.error === SSL_ERROR.WANT_WRITE || ssl.error === SSL_ERROR.WANT_READ) this.#updateEvents();
      else this.#schedule(DUE.BROKEN);
      return;
    }
    const isSent = ssl.flush();
    if (isSent === null) this.#schedule(DUE.BROKEN);
    else if (!isSent) this.#updateEvents();
    else {
      this.#writing = null;
      this.#updateEvents();
      this.#schedule(DUE.WRITTEN);
    }
  }

  #onWritable(): void {
    const isRetryDue = this.#wantsWritable;
    this.#wantsWritable = false;
    if (this.#writing !== null) this.#sendPending();
    else if (this.#isEnding) this.#finish();
    else this.#updateEvents();
    if (isRetryDue && this.#state === STATE.OPEN) this.#schedule(DUE.READ);
  }

  /** Sends close_notify (RFC 8446 section 6.1) and FIN, then waits for the client to close. */
  #finish(): void {
    if (this.#state !== STATE.OPEN || this.#hasEnded || this.#writing !== null || this.#done !== null) return;
    const ssl = this.#ssl as Ssl;
    if (!ssl.shutdown() && ssl.error === SSL_ERROR.WANT_WRITE) {
      this.#wantsWritable = true;
      this.#updateEvents();
      return;
    }
    this.#hasEnded = true;
    this.#loop.calls.finish(this.#fd);
    if (this.#hasPeerEnded) this.#close();
    else this.resume();
  }

  #close(): void {
    if (this.#state === STATE.CLOSED) return;
    const [fd, ssl] = [this.#fd, this.#ssl];
    this.#state = STATE.CLOSED;
    this.#fd = -1;
    this.#ssl = null;
    this.#loop.releaseSlot(this.slot);
    ssl?.free();
    this.#loop.calls.close(fd);
    this.#schedule(DUE.CLOSED);
  }

  #schedule(due: number): void {
    if (this.#due === 0) this.#loop.put(this);
    this.#due |= due;
  }

  #updateEvents(): void {
    if (this.#state !== STATE.OPEN) return;
    const reads = !this.#isPaused && !this.#hasPeerEnded;
    const writes = this.#writing !== null || this.#wantsWritable;
    this.#watch((reads ? EPOLLIN : 0) | (writes ? EPOLLOUT : 0));
  }

  #watch(events: number): void {
    if (events === this.#events) return;
    this.#events = events;
    this.#loop.calls.change(this.#fd, this.slot, events);
  }
}
