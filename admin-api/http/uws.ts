import { MAX_HEADER } from './transport.ts';

/** The part of uWebSockets.js that we use. The package is optional, so its own types may be missing where this is compiled. */
export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(each: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  /** False when the client is slower than us. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, close?: boolean): void;
  /** Writes what the client takes now. The first: nothing is left to write of what was given; the second: the answer has ended. */
  tryEnd(rest: string | Uint8Array, total: number): [boolean, boolean];
  /** Bytes of the body written so far. */
  getWriteOffset(): number;
  endWithoutBody(length?: number, close?: boolean): void;
  close(): void;
  cork(work: () => void): void;
  /** Nothing more of the body is read until `resume`. */
  pause(): void;
  resume(): void;
  onAborted(work: () => void): void;
  onData(work: (chunk: ArrayBuffer, last: boolean) => void): void;
  onWritable(work: (offset: number) => boolean): void;
  getRemoteAddress(): ArrayBuffer;
}

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): void;
  listen(address: string, port: number, options: number, done: (socket: object | false) => void): void;
  /** With 1 when a connection was accepted, with -1 when it has ended; then the response has no address any more. */
  filter(each: (response: UwsResponse, count: number) => void): void;
  close(): void;
}

export interface Uws {
  App(): UwsApp;
  us_listen_socket_close(socket: object): void;
  us_socket_local_port(socket: object): number;
  /** Option of listen: no other socket may share the port. */
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

/** A variable, so that the compiler does not look for the package. */
const PACKAGE: string = 'uWebSockets.js';

/** The library takes it from the environment when it is loaded, and from nowhere else. */
const HEADER_VARIABLE = 'UWS_HTTP_MAX_HEADERS_SIZE';

/** Undefined where it is not installed or has no binary for this platform. */
export async function loadUws(): Promise<Uws | undefined> {
  try {
    process.env[HEADER_VARIABLE] = String(MAX_HEADER);
    const loaded: unknown = await import(PACKAGE);
    return isUws(loaded) ? loaded : undefined;
  } catch {
    return undefined;
  }
}

function isUws(value: unknown): value is Uws {
  return typeof value === 'object' && value !== null && 'App' in value && 'us_listen_socket_close' in value;
}
