/**
 * Origin sockets by node:net and node:tls. They bypass the streams of node: bytes are read into one
 * shared buffer (`onread`).
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { TcpCalls } from '../../core/os/tcp-calls.ts';
import {
  type OpenSocket,
  type OriginSocket,
  PROBE_AFTER,
  READ_BYTES,
  type SocketAttempt,
  type SocketOwner,
  type SocketTls,
} from './sockets.ts';

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

export const openNodeSocket: OpenSocket = (address, port, tls, attempt) => new NodeSocket(address, port, tls, attempt);

export class NodeSocket implements OriginSocket {
  readonly joinsParts = false;
  readonly address: string;
  /** Of TCP until the handshake begins, if bytes go before it. */
  #socket: Socket;
  readonly #calls: TcpCalls | null;
  /** Null once it is ready or has failed. */
  #attempt: SocketAttempt | null;
  #owner: SocketOwner | null = null;
  #error: Error | null = null;

  /** `calls`: native calls, where they are available. */
  constructor(
    address: string,
    port: number,
    tls: SocketTls | null,
    attempt: SocketAttempt,
    calls: TcpCalls | null = null,
  ) {
    this.#calls = calls;
    this.address = address;
    this.#attempt = attempt;
    const options = {
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER * 1000,
      // Causes a drain after each write, after which the written buffer may be reused.
      highWaterMark: 1,
      // `dial.ts` checks and tries the addresses.
      autoSelectFamily: false,
      onread: {
        buffer,
        callback: (length: number): boolean => this.#owner === null || this.#owner.take(buffer, length),
      },
    };
    if (tls === null) {
      this.#socket = readableAfterWriteError(connectTcp(options));
      this.#socket.once('connect', () => {
        this.#attempt?.onConnected(this);
        this.#ready();
      });
    } else if (tls.preface === null) {
      this.#socket = this.#shakeHands(connectTls({ ...tls.options, ...options }), tls);
      this.#socket.once('connect', () => this.#attempt?.onConnected(this));
    } else {
      const { preface } = tls;
      const raw = connectTcp({ ...options, onread: undefined });
      this.#socket = raw;
      raw.once('connect', () => {
        this.#attempt?.onConnected(this);
        raw.write(preface);
        const socket = connectTls({ ...tls.options, ...options, socket: raw });
        // With `socket`, node ignores `onread`.
        socket.on('data', (bytes) => {
          if (this.#owner?.take(bytes, bytes.length) === false) socket.pause();
        });
        this.#socket = this.#shakeHands(socket, tls);
        this.#listen(socket);
      });
    }
    this.#listen(this.#socket);
  }

  #shakeHands(socket: TLSSocket, tls: SocketTls): TLSSocket {
    return socket.once('secureConnect', () => {
      const refusal = tls.refusalOf?.(socket) ?? null;
      if (refusal !== null) {
        socket.destroy(refusal);
        return;
      }
      rememberSessions(socket, tls);
      this.#ready();
    });
  }

  #listen(socket: Socket): void {
    socket.on('error', (error: NodeJS.ErrnoException) => this.#failed(error));
    socket.on('end', () => this.#owner?.onSocketEnd());
    socket.on('drain', () => this.#owner?.onDrain());
    socket.on('close', () => this.#closed());
  }

  get isOpen(): boolean {
    return this.#attempt === null && this.#socket.writable && this.#socket.readable;
  }

  get isWritable(): boolean {
    return this.#socket.writable;
  }

  get isFull(): boolean {
    return this.#socket.writableLength > 0;
  }

  get accepted(): number {
    return this.#socket.bytesWritten;
  }

  get unacknowledged(): number {
    const { _handle: handle } = this.#socket as Socket & { readonly _handle: { readonly fd: number } | null };
    return handle === null || this.#calls === null ? 0 : this.#calls.unacknowledged(handle.fd);
  }

  start(owner: SocketOwner): void {
    this.#owner = owner;
  }

  writeText(text: string): boolean {
    this.#socket.write(text, 'latin1');
    return !this.isFull;
  }

  write(bytes: Uint8Array, before = '', after = ''): boolean {
    const socket = this.#socket;
    const isBytesOnly = before === '' && after === '';
    if (!isBytesOnly) socket.cork();
    if (before !== '') socket.write(before, 'latin1');
    socket.write(bytes);
    if (after !== '') socket.write(after, 'latin1');
    if (!isBytesOnly) socket.uncork();
    return !this.isFull;
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.end();
  }

  destroySoon(): void {
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#attempt = null;
    this.#owner = null;
    this.#socket.destroy();
  }

  #ready(): void {
    const attempt = this.#attempt;
    this.#attempt = null;
    attempt?.onReady(this);
  }

  #failed(error: NodeJS.ErrnoException): void {
    this.#error = error;
    if (this.#owner !== null && error.syscall === 'write' && !this.#socket.destroyed) this.#owner.onWriteError(error);
    else this.#socket.destroy();
  }

  #closed(): void {
    const [attempt, owner] = [this.#attempt, this.#owner];
    this.#attempt = null;
    this.#owner = null;
    attempt?.onFailed(this, this.#error ?? new Error('closed'));
    owner?.onSocketClosed(this.#error);
  }
}

/**
 * An origin that rejects an upload responds and closes, and our next write fails first. By default
 * node would then destroy the socket with the unread response. Without `autoDestroy`, node reports
 * the error and continues to read. The owner destroys the socket.
 */
function readableAfterWriteError(socket: Socket): Socket {
  const { _readableState: readable, _writableState: writable } = socket as Socket & StreamStates;
  readable.autoDestroy = false;
  writable.autoDestroy = false;
  return socket;
}

/** Internal state of node's streams. net.Socket does not pass on the option `autoDestroy`. */
interface StreamStates {
  readonly _readableState: { autoDestroy: boolean };
  readonly _writableState: { autoDestroy: boolean };
}

function rememberSessions(socket: TLSSocket, tls: SocketTls): void {
  socket.on('session', (ticket) => tls.remember(ticket));
  // In TLS 1.2 the session is available after the handshake.
  const session = socket.getProtocol() === 'TLSv1.2' ? socket.getSession() : undefined;
  if (session !== undefined) tls.remember(session);
}
