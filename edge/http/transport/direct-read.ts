/**
 * Reading without a buffer for each read. Node has that for the sockets that it connects (the
 * `onread` option of net.connect), but gives no way to ask it of one that a server accepted; so
 * what the option sets is set afterwards. That saves a sixth of the CPU of a request that comes
 * alone: an ArrayBuffer for each read, and the way through a stream. Where a Node has other
 * insides, sockets are read as streams.
 */
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
