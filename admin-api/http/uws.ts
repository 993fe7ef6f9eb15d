/** The part of uWebSockets.js that we use. The package is optional, so its own types may be missing where this is compiled. */
export interface UwsRequest {
  getMethod(): string;
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
  endWithoutBody(length?: number, close?: boolean): void;
  close(): void;
  cork(work: () => void): void;
  onAborted(work: () => void): void;
  onData(work: (chunk: ArrayBuffer, last: boolean) => void): void;
  onWritable(work: (offset: number) => boolean): void;
  getRemoteAddress(): ArrayBuffer;
}

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): void;
  listen(address: string, port: number, options: number, done: (socket: object | false) => void): void;
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

/** Undefined where it is not installed or has no binary for this platform. */
export async function loadUws(): Promise<Uws | undefined> {
  try {
    const loaded: unknown = await import(PACKAGE);
    return isUws(loaded) ? loaded : undefined;
  } catch {
    return undefined;
  }
}

function isUws(value: unknown): value is Uws {
  return typeof value === 'object' && value !== null && 'App' in value && 'us_listen_socket_close' in value;
}
