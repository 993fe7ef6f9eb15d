/** Carries the bytes of a connection: a socket, or memory in a test. */
import type { Socket } from 'node:net';

/** One read buffer for all sockets of the thread. Its content is handled before the next read. */
const shared = Buffer.allocUnsafeSlow(65_536);

/** Receives the bytes of a read, which are valid during the call only. False stops reading. */
type OnRead = (data: number, bytes: Buffer) => boolean;

/** Properties in which a net.Socket stores the buffer and the callback of `onread`. */
interface ReadProperties {
  readonly buffer: symbol;
  readonly callback: symbol;
}

let readProperties: ReadProperties | null | undefined;

function readPropertiesOf(socket: Socket): ReadProperties | null {
  const symbols = Object.getOwnPropertySymbols(socket);
  const buffer = symbols.find((symbol) => symbol.description === 'kBuffer');
  const callback = symbols.find((symbol) => symbol.description === 'kBufferCb');
  return buffer === undefined || callback === undefined ? null : { buffer, callback };
}

interface Handle {
  useUserBuffer(buffer: Buffer): void;
}

const isHandle = (handle: unknown): handle is Handle =>
  typeof handle === 'object' && handle !== null && typeof Reflect.get(handle, 'useUserBuffer') === 'function';

/**
 * Reads a socket without allocating a buffer for each read. Node.js offers this for outgoing
 * connections (the `onread` option of net.connect), but not for accepted ones. So this sets the
 * same properties afterwards. It saves a sixth of the CPU of an isolated request: an ArrayBuffer
 * for each read, and the stream machinery. If the internals of Node.js differ, sockets are read as
 * streams.
 *
 * From now on `onBytes` receives the bytes of each read, which are valid during the call only.
 * False: this version of Node.js does not support it.
 */
export function readInto(socket: Socket, onBytes: (bytes: Buffer) => void): boolean {
  readProperties ??= readPropertiesOf(socket);
  const handle: unknown = Reflect.get(socket, '_handle');
  if (readProperties === null || !isHandle(handle)) return false;
  const onRead: OnRead = (data, bytes) => {
    onBytes(bytes.subarray(0, data));
    return true;
  };
  Reflect.set(socket, readProperties.buffer, shared);
  Reflect.set(socket, readProperties.callback, onRead);
  handle.useUserBuffer(shared);
  return true;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Returns the bytes written to a socket that the system has not accepted, including TLS record
 * overhead. Node.js does not count partial writes, but libuv does (`writeQueueSize`). Under TLS,
 * the underlying handle has the accurate count, since TLS emits many records at a time. If the
 * internals of Node.js differ, all bytes of incomplete writes count.
 */
function unsentOf(socket: Socket): number {
  let handle: unknown = Reflect.get(socket, '_handle');
  let bytes: unknown;
  while (isObject(handle)) {
    bytes = Reflect.get(handle, 'writeQueueSize');
    handle = Reflect.get(handle, '_parent');
  }
  return typeof bytes === 'number' ? bytes : socket.writableLength;
}

export interface TransportReceiver {
  /** `bytes`: valid during the call only. */
  onBytes(bytes: Buffer): void;
  /** The peer has ended its side. */
  onEnd(): void;
  /** The connection is closed. Called once. */
  onClose(): void;
}

export interface Transport {
  /**
   * Called once, before any other method. Bytes that arrived earlier are delivered after the call.
   */
  start(receiver: TransportReceiver): void;
  /**
   * Only one write may be in flight. `done` is called once, not during the call. If the connection
   * breaks, it may be called without an error; `onClose` is called in any case. The bytes must not
   * change until `done`.
   */
  write(bytes: Buffer, done: (error?: Error | null) => void): void;
  /**
   * Bytes of the write in flight that have not been sent, as far as known. Distinguishes a stalled
   * peer from a slow one.
   */
  readonly unsent: number;
  /**
   * Bytes that the system has accepted and the peer has not acknowledged, as far as known. With
   * large system buffers, the room freed by a slow reader appears in steps that may be minutes
   * apart.
   */
  readonly unacknowledged: number;
  /** Stops reading until `resume`. Bytes already read may still be delivered. */
  pause(): void;
  resume(): void;
  /** Sends what was written, then ends this side. */
  end(): void;
  destroy(): void;
}

/** TCP or TLS over sockets of Node.js. Socket errors are ignored, since a close always follows. */
export class SocketTransport implements Transport {
  /** Node.js does not provide it. */
  readonly unacknowledged = 0;
  readonly #socket: Socket;
  #isPaused = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  start(receiver: TransportReceiver): void {
    const socket = this.#socket;
    socket.setNoDelay(true); // writes are already combined
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
    // If the receiver paused on the buffered bytes, the socket has to be paused again. Otherwise it
    // would keep reading.
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

/** Bytes that the socket has buffered: received with the handshake, or put back. */
const read = (socket: Socket): Buffer | null => socket.read();

function ignore(): void {}
