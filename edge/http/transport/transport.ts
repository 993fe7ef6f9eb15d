/** What carries a connection's bytes: a socket, or memory in a test. */
import type { Socket } from 'node:net';
import { readInto } from './direct-read.ts';
import { unsentOf } from './unsent.ts';

export interface TransportReceiver {
  /** The bytes are there during the call only. */
  onBytes(bytes: Buffer): void;
  /** The other side sends no more. */
  onEnd(): void;
  /** Nothing goes either way any more. Once. */
  onClose(): void;
}

export interface Transport {
  /** Called once, first; what has come already is received after the call. */
  start(receiver: TransportReceiver): void;
  /**
   * One at a time: not again before `done`, which is not called during the call. The bytes stay as
   * they are until then.
   */
  write(bytes: Buffer, done: (error?: Error | null) => void): void;
  /**
   * Bytes of the pending write that have not left yet, as far as is known: by which one that
   * takes nothing is distinguished from one that is slow.
   */
  readonly unsent: number;
  /**
   * Bytes that the system was given and the other side's has not acknowledged, as far as is known:
   * where the system's buffers are large, a slow reader frees room in lumps, minutes apart.
   */
  readonly unacknowledged: number;
  /** No more bytes are received until `resume`, but for those in flight. */
  pause(): void;
  resume(): void;
  /** What was written is sent, then the end. */
  end(): void;
  destroy(): void;
}

/**
 * Over TCP or TLS, by node's sockets: an error of a socket is nothing but the close that follows.
 */
export class SocketTransport implements Transport {
  /** Node does not ask. */
  readonly unacknowledged = 0;
  readonly #socket: Socket;
  #isPaused = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  start(receiver: TransportReceiver): void {
    const socket = this.#socket;
    socket.setNoDelay(true); // a session's writes are whole already
    socket.on('error', ignore);
    socket.on('end', () => receiver.onEnd());
    socket.on('close', () => receiver.onClose());
    process.nextTick(() => {
      if (socket.destroyed) setImmediate(() => receiver.onClose());
      else this.#read(receiver);
    });
  }

  #read(receiver: TransportReceiver): void {
    const socket = this.#socket;
    for (let bytes = read(socket); bytes !== null; bytes = read(socket)) receiver.onBytes(bytes);
    if (!readInto(socket, (bytes) => receiver.onBytes(bytes)))
      socket.on('data', (bytes: Buffer) => receiver.onBytes(bytes));
    // Who has had enough by what was put back: the system is read until that is said once more.
    if (this.#isPaused) socket.pause();
    else socket.resume();
  }

  write(bytes: Buffer, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  get unsent(): number {
    return unsentOf(this.#socket);
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** What the socket has put aside: what arrived with the handshake, or was put back. */
const read = (socket: Socket): Buffer | null => socket.read();

function ignore(): void {}
