/**
 * A TLS connection. It peeks at the ClientHello, does the handshake, and then transfers bytes until
 * it is closed. Nothing here blocks, and no input of a client makes it throw.
 */
import type { LoopTask } from '../../../core/os/descriptor-loop.ts';
import { EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT } from '../../../core/os/epoll.ts';
import type { TcpCalls } from '../../../core/os/tcp-calls.ts';
import type { Transport, TransportReceiver } from '../transport/transport.ts';
import { costOfBytes, HANDSHAKE_COST, type TurnShare } from '../transport/turn-share.ts';
import type { TlsCertificate } from './certificate.ts';
import type { ClientAuthorities } from './client-authorities.ts';
import { type ClientHello, HELLO } from './client-hello.ts';
import type { TlsContext } from './context.ts';
import { type Openssl, SSL_ERROR, TLS1_3 } from './openssl.ts';
import type { TlsOwner } from './owner.ts';
import { MAX_IDLE_MESSAGES, UNRECOGNIZED_NAME } from './profile.ts';
import { dropRecordBuffer, flushRecordBuffer, heldBy, putRecordBuffer } from './record-buffer.ts';

/** DELAYED: the ClientHello was accepted, and the handshake waits for the site's next turn. */
const STATE = { HELLO: 0, HANDSHAKE: 1, OPEN: 2, CLOSED: 3, DELAYED: 4 } as const;

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

/** The loop of a connection, as the connection uses it. */
export interface ConnectionLoop {
  readonly openssl: Openssl;
  readonly calls: TcpCalls;
  readonly context: TlsContext;
  readonly authorities: ClientAuthorities;
  readonly hello: ClientHello;
  /** Buffer of the last read, shared by the connections of the thread. */
  readonly shared: { readonly bytes: Buffer; readonly address: number };
  /** Events that epoll watches while a ClientHello is incomplete. */
  readonly helloEvents: number;
  /** Events after which the client sends nothing more. */
  readonly hangUpEvents: number;
  /** Runs `task` soon, after this call. */
  put(task: LoopTask): void;
  /** A new SSL with the certificate for `serverName`; 0: the certificate is unusable. */
  sslFor(owner: TlsOwner<TlsConnection>, serverName: string, certificate: TlsCertificate): number;
  /** Records the SSL of a slot, so that it is freed if the thread dies. */
  recordSsl(slot: number, ssl: number): void;
  /** Frees the slot. The caller frees its SSL and descriptor afterwards. */
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
  readonly #owner: TlsOwner<TlsConnection>;
  #fd: number;
  /** The site's share of turns; null: no share, or the site is not known yet. */
  #share: TurnShare | null = null;
  #ssl = 0;
  /** Set during the handshake only. */
  #certificate: TlsCertificate | null = null;
  #state: number = STATE.HELLO;
  /** Events that epoll watches. */
  #events: number;
  #due = 0;
  #receiver: TransportReceiver | null = null;
  #writing: Buffer | null = null;
  #writtenTo = 0;
  /** Address of the record buffer of a large write; 0: none. */
  #buffer = 0;
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
  constructor(loop: ConnectionLoop, owner: TlsOwner<TlsConnection>, fd: number, slot: number) {
    this.#loop = loop;
    this.#owner = owner;
    this.#fd = fd;
    this.slot = slot;
    this.#events = EPOLLIN;
  }

  // Called by the loop.

  event(ready: number): void {
    if (this.#state === STATE.HELLO) this.#readHello(ready);
    else if (this.#state === STATE.HANDSHAKE) this.#shakeHands();
    else if (this.#state === STATE.DELAYED) this.#fail();
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
    if (outcome === HELLO.UNUSUAL || !hello.isOurs) this.#handOver();
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
    const { openssl, calls } = this.#loop;
    const { serverName } = this;
    this.#certificate = this.#owner.certificateFor(serverName) ?? null;
    if (this.#certificate !== null) this.#ssl = this.#loop.sslFor(this.#owner, serverName, this.#certificate);
    if (this.#ssl === 0) {
      calls.sendArray(this.#fd, UNRECOGNIZED_NAME);
      this.#owner.failed('unrecognized_name');
      this.#closeAfterAlert();
      return;
    }
    this.#loop.recordSsl(this.slot, this.#ssl);
    openssl.ERR_clear_error();
    if (openssl.SSL_set_fd(this.#ssl, this.#fd) !== 1) {
      openssl.ERR_clear_error();
      this.#fail();
      return;
    }
    this.#state = STATE.HANDSHAKE;
    this.#shakeHands();
  }

  #shakeHands(): void {
    const { openssl, context } = this.#loop;
    openssl.ERR_clear_error();
    context.selectsHttp2 = this.isHttp2;
    context.certificate = this.#certificate;
    const outcome = openssl.SSL_accept(this.#ssl);
    if (outcome !== 1) {
      const error = openssl.SSL_get_error(this.#ssl, outcome);
      if (error === SSL_ERROR.WANT_READ) this.#watch(EPOLLIN);
      else if (error === SSL_ERROR.WANT_WRITE) this.#watch(EPOLLOUT);
      else {
        openssl.ERR_clear_error();
        this.#fail();
      }
      return;
    }
    this.#certificate = null;
    context.certificate = null;
    this.#watch(EPOLLIN);
    this.#state = STATE.OPEN;
    this.#loop.context.bound(this.#ssl);
    this.isTls13 = openssl.SSL_version(this.#ssl) === TLS1_3;
    this.isResumed = openssl.SSL_session_reused(this.#ssl) === 1;
    if (this.#owner.policy !== null && this.#owner.policy.clients !== null) {
      const certificate = this.#loop.authorities.certificateOf(this.#ssl);
      if (certificate === undefined) {
        this.#fail();
        return;
      }
      this.clientCertificate = certificate;
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
    const held = this.#buffer === 0 ? 0 : heldBy(this.#loop.openssl, this.#buffer);
    return this.#writing.length - this.#writtenTo + held;
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
    const { openssl, context, shared } = this.#loop;
    const { SSL_read, SSL_has_pending } = openssl;
    let data = 0;
    let outcome = 1;
    let hasMore = true; // OpenSSL may hold bytes that epoll does not report
    if (this.#hasPeerEnded) return;
    openssl.ERR_clear_error();
    context.idleMessages = this.#idleMessages;
    for (let n = 0; hasMore && n < MAX_RECORDS && data + RECORD_BYTES <= shared.bytes.length; n++) {
      const before = context.idleMessages;
      outcome = SSL_read(this.#ssl, shared.address + data, shared.bytes.length - data);
      if (outcome <= 0) {
        // Since version 3.2 SSL_read returns after a KeyUpdate and SSL_has_pending returns 0, even
        // if OpenSSL has read more bytes than the KeyUpdate.
        if (context.idleMessages > before && context.idleMessages <= MAX_IDLE_MESSAGES) continue;
        break;
      }
      data += outcome;
      context.idleMessages = 0;
      hasMore = SSL_has_pending(this.#ssl) === 1;
    }
    this.#idleMessages = context.idleMessages;
    const error = outcome > 0 ? 0 : openssl.SSL_get_error(this.#ssl, outcome);
    if (data > RECORD_BYTES && !this.#hasLargeBuffer) {
      this.#hasLargeBuffer = true;
      openssl.SSL_set_default_read_buffer_len(this.#ssl, FOUR_RECORDS);
    }
    if (error !== 0 && error !== SSL_ERROR.WANT_READ) openssl.ERR_clear_error();
    if (data > 0) this.#receiver?.onBytes(shared.bytes.subarray(0, data));
    // Spent after the requests of this read have run: the first of them starts within the read.
    this.#share?.spend(costOfBytes(data));
    if (this.#state !== STATE.OPEN) return;
    if (error === 0) {
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
    const { openssl } = this.#loop;
    const bytes = this.#writing;
    if (bytes === null) return;
    openssl.ERR_clear_error();
    if (this.#buffer === 0 && bytes.length > RECORD_BYTES)
      this.#buffer = putRecordBuffer(openssl, this.#ssl, FOUR_RECORDS);
    while (this.#writtenTo < bytes.length) {
      const at = this.#writtenTo;
      const outcome = openssl.SSL_write(this.#ssl, at === 0 ? bytes : bytes.subarray(at), bytes.length - at);
      if (outcome > 0) {
        this.#writtenTo += outcome;
        continue;
      }
      const error = openssl.SSL_get_error(this.#ssl, outcome);
      if (error === SSL_ERROR.WANT_WRITE || error === SSL_ERROR.WANT_READ) this.#updateEvents();
      else {
        openssl.ERR_clear_error();
        this.#schedule(DUE.BROKEN);
      }
      return;
    }
    if (this.#buffer !== 0) {
      const isSent = flushRecordBuffer(openssl, this.#buffer);
      if (isSent === true) {
        dropRecordBuffer(openssl, this.#ssl, this.#buffer);
        this.#buffer = 0;
      } else {
        openssl.ERR_clear_error();
        if (isSent === null) this.#schedule(DUE.BROKEN);
        else this.#updateEvents();
        return;
      }
    }
    this.#writing = null;
    this.#updateEvents();
    this.#schedule(DUE.WRITTEN);
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
    const { openssl, calls } = this.#loop;
    openssl.ERR_clear_error();
    const outcome = openssl.SSL_shutdown(this.#ssl);
    if (outcome < 0 && openssl.SSL_get_error(this.#ssl, outcome) === SSL_ERROR.WANT_WRITE) {
      this.#wantsWritable = true;
      this.#updateEvents();
      return;
    }
    openssl.ERR_clear_error();
    this.#hasEnded = true;
    calls.finish(this.#fd);
    if (this.#hasPeerEnded) this.#close();
    else this.resume();
  }

  #close(): void {
    if (this.#state === STATE.CLOSED) return;
    const { openssl, calls } = this.#loop;
    const [fd, ssl] = [this.#fd, this.#ssl];
    this.#state = STATE.CLOSED;
    this.#fd = -1;
    this.#ssl = 0;
    this.#buffer = 0;
    this.#loop.releaseSlot(this.slot);
    if (ssl !== 0) {
      openssl.ERR_clear_error();
      openssl.SSL_free(ssl);
      openssl.ERR_clear_error();
    }
    calls.close(fd);
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
