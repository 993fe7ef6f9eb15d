/**
 * Sockets to origins. Nothing is read through a stream: node puts what comes into one buffer that all of the thread share, which is theirs until the callback returns, since
 * node reads and calls back in one go.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Whoever takes what comes; null until the connection stands. */
export interface Inlet {
  target: InletTarget | null;
}

export interface InletTarget {
  /** False: no more for now. */
  take(buffer: Buffer, length: number): boolean;
}

/** Opens a socket to an address that was checked. `tls`: null for plain HTTP. */
export type OpenSocket = (address: string, port: number, tls: ConnectionOptions | null, inlet: Inlet) => Socket;

/** What the kernel has gathered while the thread was busy fits, as a rule. */
const BUFFER = 65_536;
const buffer = Buffer.allocUnsafeSlow(BUFFER);
/** Milliseconds of silence before the kernel looks whether the origin is still there. */
const PROBE_AFTER = 30_000;

export const openSocket: OpenSocket = (host, port, tls, inlet) => {
  const options = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER,
    // The addresses are tried by `dial.ts`, each after its check.
    autoSelectFamily: false,
    onread: {
      buffer,
      callback: (length: number): boolean => inlet.target === null || inlet.target.take(buffer, length),
    },
  };
  return tls === null ? readableAfterWriteError(connectTcp(options)) : connectTls({ ...tls, ...options });
};

/**
 * An origin that refuses an upload answers and closes, which our next write finds out first. Node would destroy the socket then, and the response that lies in it; as this
 * it tells of the error and reads on. Whoever has the socket destroys it.
 */
function readableAfterWriteError(socket: Socket): Socket {
  const { _readableState: readable, _writableState: writable } = socket as Socket & StreamStates;
  readable.autoDestroy = false;
  writable.autoDestroy = false;
  return socket;
}

/** Of node's streams; an option of theirs that net.Socket does not pass on. */
interface StreamStates {
  readonly _readableState: { autoDestroy: boolean };
  readonly _writableState: { autoDestroy: boolean };
}
