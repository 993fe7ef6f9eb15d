/**
 * The seam between connections to origins and what carries their bytes: sockets of our own
 * (`native-socket.ts`) for plain HTTP, node's (`node-socket.ts`) for TLS and where ours are not to
 * be had. Nothing is read through a stream: what comes is in memory that all sockets of the thread
 * share, until the call returns.
 */
import type { ConnectionOptions, TLSSocket } from 'node:tls';

/**
 * Bytes that are read at most in one go: what the kernel has gathered while the thread was busy
 * fits, as a rule. With half of it a body of 10 MB takes 4 % more CPU.
 */
export const READ_BYTES = 131_072;
/** Seconds of silence before the kernel looks whether the origin is still there. */
export const PROBE_AFTER = 30;

export interface OriginSocket {
  /** In text; the one that it was opened to. */
  readonly address: string;
  /** Bytes may go both ways. */
  readonly isOpen: boolean;
  /** Bytes may go out: it was not ended, neither by us nor by a fault. */
  readonly isWritable: boolean;
  /** Not all that was written has left: `onDrain` follows. */
  readonly isFull: boolean;
  /** `write` copies text and bytes into one buffer. */
  readonly joinsParts: boolean;
  /** Once, within `onReady`: the owner from now on. */
  start(owner: SocketOwner): void;
  /** Characters are bytes. False: `isFull`. */
  writeText(text: string): boolean;
  /**
   * The same for bytes, with text around them, all in one piece where it can be. They are the
   * socket's from here on.
   */
  write(bytes: Uint8Array, before?: string, after?: string): boolean;
  /** Bytes may come again, after `take` has returned false; not within this call. */
  resume(): void;
  /** What was written goes out, then the end; bytes still come. */
  end(): void;
  /** What was written goes out, then it is closed. */
  destroySoon(): void;
  /** At once. Nothing is reported after that. */
  destroy(): void;
}

/** What becomes of a socket that is opened: never told within `OpenSocket` itself. */
export interface SocketAttempt {
  /** TCP stands. */
  onConnected(socket: OriginSocket): void;
  /** Bytes can go. */
  onReady(socket: OriginSocket): void;
  /** Neither will be. The socket is destroyed. */
  onFailed(socket: OriginSocket, error: Error): void;
}

/** Whom a socket that stands belongs to. */
export interface SocketOwner {
  /**
   * Bytes 0 to `length` of `buffer` have come; they are valid during the call. False: no more until
   * `resume`.
   */
  take(buffer: Buffer, length: number): boolean;
  /** All that was written has left, after `isFull`. */
  onDrain(): void;
  /** The origin sends no more. */
  onSocketEnd(): void;
  /**
   * Nothing can be written any more; what the origin said before is still read. Not within a write.
   */
  onWriteError(error: Error): void;
  /** It is destroyed, and not by its owner. `error`: null when there was none. */
  onSocketClosed(error: Error | null): void;
}

/** TLS to an origin. */
export interface SocketTls {
  readonly options: ConnectionOptions;
  /** Why a connection whose handshake is complete must not be used; null: it may be. */
  readonly refusalOf: ((socket: TLSSocket) => Error | null) | null;
  /** A session that may be resumed by the next connection. */
  remember(session: Buffer): void;
}

/** Opens a socket to an address that was checked, never to a name. `tls`: null for plain HTTP. */
export type OpenSocket = (address: string, port: number, tls: SocketTls | null, attempt: SocketAttempt) => OriginSocket;
