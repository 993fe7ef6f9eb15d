/**
 * The interface between origin connections and their sockets. Native sockets (`native-socket.ts`)
 * carry plain HTTP. Sockets of node (`node-socket.ts`) carry TLS, and replace native sockets that
 * are not available. No stream is involved: received bytes stay in a buffer that all sockets of the
 * thread share, valid until the call returns.
 */
import type { ConnectionOptions, TLSSocket } from 'node:tls';

/**
 * Maximum bytes of a read. Usually this is all that the kernel has buffered while the thread was
 * busy. With half of it a body of 10 MB takes 4 % more CPU.
 */
export const READ_BYTES = 131_072;
/** Seconds of silence until the kernel sends TCP keep-alive probes. */
export const PROBE_AFTER = 30;

export interface OriginSocket {
  /** The peer's address, in text. */
  readonly address: string;
  /** Open in both directions. */
  readonly isOpen: boolean;
  /** Open for writing: neither ended by this side nor failed. */
  readonly isWritable: boolean;
  /** Not all written bytes were sent; `onDrain` follows. */
  readonly isFull: boolean;
  /** Bytes that were written and that the kernel, or node, has accepted. */
  readonly accepted: number;
  /** Bytes that the peer's kernel has not acknowledged; 0: unknown, or none. */
  readonly unacknowledged: number;
  /** `write` copies text and bytes into one buffer. */
  readonly joinsParts: boolean;
  /** Sets the owner. Called once, within `onReady`. */
  start(owner: SocketOwner): void;
  /** Writes Latin-1 text. False: `isFull`. */
  writeText(text: string): boolean;
  /**
   * Writes bytes with text before and after them, in one piece if possible. The socket owns the
   * bytes from here on.
   */
  write(bytes: Uint8Array, before?: string, after?: string): boolean;
  /** Resumes reading after `take` has returned false. Delivers nothing within this call. */
  resume(): void;
  /** Ends the sending side after all written bytes. Reading continues. */
  end(): void;
  /** Closes the socket after all written bytes are sent. */
  destroySoon(): void;
  /** Closes the socket immediately. No callback follows. */
  destroy(): void;
}

/** Outcome of an attempt to open a socket. Never called within `OpenSocket` itself. */
export interface SocketAttempt {
  /** TCP is connected. */
  onConnected(socket: OriginSocket): void;
  /** Ready to send. With TLS, the handshake is complete. */
  onReady(socket: OriginSocket): void;
  /** The attempt failed, and the socket is destroyed. */
  onFailed(socket: OriginSocket, error: Error): void;
}

/** The owner of a connected socket. */
export interface SocketOwner {
  /**
   * Receives bytes 0 to `length` of `buffer`, valid during the call. False: pauses reading until
   * `resume`.
   */
  take(buffer: Buffer, length: number): boolean;
  /** All written bytes were sent, after `isFull`. */
  onDrain(): void;
  /** The origin has ended its sending side. */
  onSocketEnd(): void;
  /**
   * Writing has failed. Bytes that the origin sent before are still read. Not called within a
   * write.
   */
  onWriteError(error: Error): void;
  /** The socket was destroyed, but not by its owner. `error`: null when there was none. */
  onSocketClosed(error: Error | null): void;
}

/** TLS to an origin. */
export interface SocketTls {
  readonly options: ConnectionOptions;
  /** Bytes that are sent before the handshake; null: none. */
  readonly preface: Uint8Array | null;
  /**
   * Returns why a connection must not be used after its handshake, or null if it may be used. The
   * property itself is null when no check is needed.
   */
  readonly refusalOf: ((socket: TLSSocket) => Error | null) | null;
  /** A session that may be resumed by the next connection. */
  remember(session: Buffer): void;
}

/** Opens a socket to an address that was checked, never to a name. `tls`: null for plain HTTP. */
export type OpenSocket = (address: string, port: number, tls: SocketTls | null, attempt: SocketAttempt) => OriginSocket;
