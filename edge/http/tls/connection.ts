/**
 * One connection of TLS: its ClientHello is looked at, then it is shaken hands with, then it
 * carries bytes, until it closes. All that is done here does not block, and nothing that a client
 * sends throws.
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

/** DELAYED: the ClientHello has come, and the handshake begins in a later turn. */
const STATE = { HELLO: 0, HANDSHAKE: 1, OPEN: 2, CLOSED: 3, DELAYED: 4 } as const;

/** What is still to be done for a connection when the loop has nothing else to do. */
const DUE = { READ: 1, WRITTEN: 2, BROKEN: 4, CLOSED: 8, HANDSHAKE: 16 } as const;

const EPOLLERR_HUP = EPOLLERR | EPOLLHUP;

const ABANDONED = new Error('the connection has closed');
const RECORD = 16_384;
/** Records that are read in a turn: small ones cost as much as large ones. */
const RECORDS = 64;
/**
 * Bytes that OpenSSL receives in one go for a client that sends much, and sends in one go of a
 * large write: four records of TLS 1.3 with their heads, tags and types (RFC 8446 section 5.2), of
 * which the content fills what they are read to. For others it is one record, as the memory is
 * taken again for each read.
 */
const FOUR_RECORDS = 4 * (5 + RECORD + 1 + 16);

/** What a connection needs of the loop that it belongs to. */
export interface ConnectionLoop {
  readonly openssl: Openssl;
  readonly calls: TcpCalls;
  readonly context: TlsContext;
  readonly authorities: ClientAuthorities;
  readonly hello: ClientHello;
  /** Memory for what was read last. */
  readonly shared: { readonly bytes: Buffer; readonly address: number };
  /** Events that epoll watches while a ClientHello is incomplete. */
  readonly edges: number;
  /** The events of them after which the client sends no more. */
  readonly ended: number;
  /** Runs `task` when the loop has nothing else to do. */
  put(task: LoopTask): void;
  /** A new SSL with a certificate for `serverName`; 0: the certificate cannot be used. */
  sslFor(owner: TlsOwner<TlsConnection>, serverName: string, certificate: TlsCertificate): number;
  holds(slot: number, ssl: number): void;
  forgets(slot: number): void;
  /** Stops watching `fd`, which has another owner from now on. */
  leaves(slot: number, fd: number): void;
}

export class TlsConnection implements Transport {
  /** In lower case. */
  serverName = '';
  /** Else HTTP/1.1. */
  isHttp2 = false;
  isTls13 = false;
  isResumed = false;
  /** The client's verified certificate, as the field Client-Cert has it; empty: it showed none. */
  clientCertificate = '';
  readonly slot: number;
  readonly #loop: ConnectionLoop;
  readonly #owner: TlsOwner<TlsConnection>;
  #fd: number;
  /** The site's; null: there is none, or the site is not known yet. */
  #share: TurnShare | null = null;
  #ssl = 0;
  /** During the handshake. */
  #certificate: TlsCertificate | null = null;
  #state: number = STATE.HELLO;
  /** What epoll watches. */
  #events: number;
  #due = 0;
  #receiver: TransportReceiver | null = null;
  #writing: Buffer | null = null;
  #writtenTo = 0;
  /** Of the records of a large write; 0: there is none. */
  #buffer = 0;
  #done: ((error?: Error | null) => void) | null = null;
  #isPaused = false;
  #hasPeerEnded = false;
  #isEnding = false;
  #hasEnded = false;
  /** FOUR_RECORDS is set. */
  #readsMuch = false;
  /** The handshake, a read or the end waits until more can be sent. */
  #wantsRoom = false;
  /** Messages in a row that brought no data. */
  #idleMessages = 0;

  /** `fd` is watched for EPOLLIN under `place`. */
  constructor(loop: ConnectionLoop, owner: TlsOwner<TlsConnection>, fd: number, slot: number) {
    this.#loop = loop;
    this.#owner = owner;
    this.#fd = fd;
    this.slot = slot;
    this.#events = EPOLLIN;
  }

  // From the loop.

  event(ready: number): void {
    if (this.#state === STATE.HELLO) this.#readHello(ready);
    else if (this.#state === STATE.HANDSHAKE) this.#shakeHands();
    else if (this.#state === STATE.DELAYED) this.#fail();
    else if (this.#state === STATE.OPEN) {
      // Epoll reports it again.
      if (this.#share?.isSpent) return;
      if ((ready & EPOLLOUT) !== 0) this.#hasRoom();
      if (this.#state !== STATE.OPEN) return;
      // Who pauses, or has heard the end, learns of a broken connection all the same.
      if ((ready & EPOLLERR_HUP) !== 0 && (this.#isPaused || this.#hasPeerEnded)) this.#close();
      else if ((ready & (EPOLLIN | EPOLLERR_HUP)) !== 0 && !this.#isPaused) this.#read();
    }
  }

  /** What was put off. */
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
      if (this.#share?.isSpent) this.#later(DUE.READ);
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
      // Its end has come: nothing follows.
      if ((ready & this.#loop.ended) !== 0) this.#fail();
      // What has come stays there, and would be told again and again.
      else this.#watch(this.#loop.edges);
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
      this.#hangUp();
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
      this.#later(DUE.HANDSHAKE);
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
      this.#hangUp();
      return;
    }
    this.#loop.holds(this.slot, this.#ssl);
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
      const shown = this.#loop.authorities.shownBy(this.#ssl);
      if (shown === undefined) {
        this.#fail();
        return;
      }
      this.clientCertificate = shown;
    }
    this.#owner.secured(this);
  }

  #handOver(): void {
    const fd = this.#fd;
    this.#state = STATE.CLOSED;
    this.#fd = -1;
    this.#loop.leaves(this.slot, fd);
    this.#owner.handOver(fd);
  }

  #fail(): void {
    this.#owner.failed('handshake_failed');
    this.#hangUp();
  }

  /**
   * Closes after an alert: what has come is taken first, since a socket that is closed over it is
   * reset, and the alert is lost.
   */
  #hangUp(): void {
    const { calls, shared } = this.#loop;
    calls.finish(this.#fd);
    calls.receive(this.#fd, shared.address, shared.bytes.length);
    this.#close();
  }

  // Transport.

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    if (this.#state === STATE.OPEN) this.#later(DUE.READ);
  }

  write(bytes: Buffer, done: (error?: Error | null) => void): void {
    this.#done = done;
    this.#writing = bytes;
    this.#writtenTo = 0;
    this.#share?.spend(costOfBytes(bytes.length));
    if (this.#state === STATE.CLOSED) this.#later(DUE.WRITTEN);
    else this.#push();
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
    this.#rewatch();
  }

  resume(): void {
    if (this.#state !== STATE.OPEN || !this.#isPaused) return;
    this.#isPaused = false;
    this.#rewatch();
    // Some may be in OpenSSL already, of which epoll does not know.
    this.#later(DUE.READ);
  }

  end(): void {
    if (this.#state !== STATE.OPEN) return;
    this.#isEnding = true;
    this.#later(DUE.WRITTEN);
  }

  destroy(): void {
    this.#close();
  }

  // Bytes.

  #read(): void {
    const { openssl, context, shared } = this.#loop;
    const { SSL_read, SSL_has_pending } = openssl;
    let data = 0;
    let outcome = 1;
    let hasMore = true; // of which epoll does not know
    if (this.#hasPeerEnded) return;
    openssl.ERR_clear_error();
    context.idleMessages = this.#idleMessages;
    for (let n = 0; hasMore && n < RECORDS && data + RECORD <= shared.bytes.length; n++) {
      const before = context.idleMessages;
      outcome = SSL_read(this.#ssl, shared.address + data, shared.bytes.length - data);
      if (outcome <= 0) {
        // From version 3.2 on, OpenSSL returns after a KeyUpdate and reports no pending bytes,
        // though it has read more than the KeyUpdate.
        if (context.idleMessages > before && context.idleMessages <= MAX_IDLE_MESSAGES) continue;
        break;
      }
      data += outcome;
      context.idleMessages = 0;
      hasMore = SSL_has_pending(this.#ssl) === 1;
    }
    this.#idleMessages = context.idleMessages;
    const error = outcome > 0 ? 0 : openssl.SSL_get_error(this.#ssl, outcome);
    if (data > RECORD && !this.#readsMuch) {
      this.#readsMuch = true;
      openssl.SSL_set_default_read_buffer_len(this.#ssl, FOUR_RECORDS);
    }
    if (error !== 0 && error !== SSL_ERROR.WANT_READ) openssl.ERR_clear_error();
    if (data > 0) this.#receiver?.onBytes(shared.bytes.subarray(0, data));
    // Behind the requests that it has brought: the first of them begins with the read.
    this.#share?.spend(costOfBytes(data));
    if (this.#state !== STATE.OPEN) return;
    if (error === 0) {
      if (hasMore && !this.#isPaused) this.#later(DUE.READ);
    } else if (error === SSL_ERROR.ZERO_RETURN) this.#peerEnded();
    else if (error === SSL_ERROR.WANT_WRITE) {
      this.#wantsRoom = true;
      this.#rewatch();
    } else if (error !== SSL_ERROR.WANT_READ || this.#idleMessages > MAX_IDLE_MESSAGES) this.#close();
  }

  #peerEnded(): void {
    this.#hasPeerEnded = true;
    this.#rewatch();
    this.#receiver?.onEnd();
    if (this.#hasEnded) this.#close();
  }

  /** Sends what there is, as far as the system takes it. */
  #push(): void {
    const { openssl } = this.#loop;
    const bytes = this.#writing;
    if (bytes === null) return;
    openssl.ERR_clear_error();
    if (this.#buffer === 0 && bytes.length > RECORD) this.#buffer = putRecordBuffer(openssl, this.#ssl, FOUR_RECORDS);
    while (this.#writtenTo < bytes.length) {
      const at = this.#writtenTo;
      const outcome = openssl.SSL_write(this.#ssl, at === 0 ? bytes : bytes.subarray(at), bytes.length - at);
      if (outcome > 0) {
        this.#writtenTo += outcome;
        continue;
      }
      const error = openssl.SSL_get_error(this.#ssl, outcome);
      if (error === SSL_ERROR.WANT_WRITE || error === SSL_ERROR.WANT_READ) this.#rewatch();
      else {
        openssl.ERR_clear_error();
        this.#later(DUE.BROKEN);
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
        if (isSent === null) this.#later(DUE.BROKEN);
        else this.#rewatch();
        return;
      }
    }
    this.#writing = null;
    this.#rewatch();
    this.#later(DUE.WRITTEN);
  }

  #hasRoom(): void {
    const wantedRoom = this.#wantsRoom;
    this.#wantsRoom = false;
    if (this.#writing !== null) this.#push();
    else if (this.#isEnding) this.#finish();
    else this.#rewatch();
    if (wantedRoom && this.#state === STATE.OPEN) this.#later(DUE.READ);
  }

  /**
   * close_notify (RFC 8446 section 6.1), then the end of the stream; the client's is waited for.
   */
  #finish(): void {
    if (this.#state !== STATE.OPEN || this.#hasEnded || this.#writing !== null || this.#done !== null) return;
    const { openssl, calls } = this.#loop;
    openssl.ERR_clear_error();
    const outcome = openssl.SSL_shutdown(this.#ssl);
    if (outcome < 0 && openssl.SSL_get_error(this.#ssl, outcome) === SSL_ERROR.WANT_WRITE) {
      this.#wantsRoom = true;
      this.#rewatch();
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
    this.#loop.forgets(this.slot);
    if (ssl !== 0) {
      openssl.ERR_clear_error();
      openssl.SSL_free(ssl);
      openssl.ERR_clear_error();
    }
    calls.close(fd);
    this.#later(DUE.CLOSED);
  }

  #later(due: number): void {
    if (this.#due === 0) this.#loop.put(this);
    this.#due |= due;
  }

  #rewatch(): void {
    if (this.#state !== STATE.OPEN) return;
    const reads = !this.#isPaused && !this.#hasPeerEnded;
    const writes = this.#writing !== null || this.#wantsRoom;
    this.#watch((reads ? EPOLLIN : 0) | (writes ? EPOLLOUT : 0));
  }

  #watch(events: number): void {
    if (events === this.#events) return;
    this.#events = events;
    this.#loop.calls.change(this.#fd, this.slot, events);
  }
}
