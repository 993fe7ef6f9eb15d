/** What carries a connection's bytes: a socket, or memory in a test. */
import type { Socket } from 'node:net';

/** One for all sockets of the thread: what is in it is worked off before the next read. */
const shared = Buffer.allocUnsafeSlow(65_536);

/** Takes what was read, which is there during the call; false stops the reading. */
type Take = (data: number, bytes: Buffer) => boolean;

/** Where a net.Socket keeps the buffer of `onread`, and its callback. */
interface Slots {
  readonly buffer: symbol;
  readonly callback: symbol;
}

let slots: Slots | null | undefined;

function slotsOf(socket: Socket): Slots | null {
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
 * Reading without a buffer for each read. Node has that for the sockets that it connects (the
 * `onread` option of net.connect), but gives no way to ask it of one that a server accepted; so
 * what the option sets is set afterwards. That saves a sixth of the CPU of a request that comes
 * alone: an ArrayBuffer for each read, and the way through a stream. Where a Node has other
 * insides, sockets are read as streams.
 *
 * From now on `onBytes` gets what the socket reads, the bytes being there during the call only.
 * False: this Node cannot.
 */
export function readInto(socket: Socket, onBytes: (bytes: Buffer) => void): boolean {
  slots ??= slotsOf(socket);
  const handle: unknown = Reflect.get(socket, '_handle');
  if (slots === null || !isHandle(handle)) return false;
  const take: Take = (data, bytes) => {
    onBytes(bytes.subarray(0, data));
    return true;
  };
  Reflect.set(socket, slots.buffer, shared);
  Reflect.set(socket, slots.callback, take);
  handle.useUserBuffer(shared);
  return true;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * What a socket was given and the system has not taken. Node counts a write as one, and asks libuv
 * when its own time-outs have to know better (`writeQueueSize`); under TLS it is the connection
 * below that knows, as records leave TLS many at a time.
 *
 * Bytes, those of records among them. Where a Node has other insides, what a write has that is not
 * done.
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
