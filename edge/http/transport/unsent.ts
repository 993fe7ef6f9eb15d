/**
 * What a socket was given and the system has not taken. Node counts a write as one, and asks libuv
 * when its own time-outs have to know better (`writeQueueSize`); under TLS it is the connection
 * below that knows, as records leave TLS many at a time.
 */
import type { Socket } from 'node:net';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Bytes, those of records among them. Where a Node has other insides, what a write has that is not
 * done.
 */
export function unsentOf(socket: Socket): number {
  let handle: unknown = Reflect.get(socket, '_handle');
  let bytes: unknown;
  while (isObject(handle)) {
    bytes = Reflect.get(handle, 'writeQueueSize');
    handle = Reflect.get(handle, '_parent');
  }
  return typeof bytes === 'number' ? bytes : socket.writableLength;
}
