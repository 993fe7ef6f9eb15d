/**
 * Loads uWebSockets.js, and declares the part of its API that we use. The package is optional, so
 * its own types may be missing when this is compiled.
 */
import { MAX_HEADER } from './transport.ts';

export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(each: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  /** False if the client reads too slowly: the next write should wait for onWritable. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, close?: boolean): void;
  /**
   * Writes as much as the socket accepts. Returns whether `rest` is written, and the response
   * ended.
   */
  tryEnd(rest: string | Uint8Array, total: number): [boolean, boolean];
  /** Bytes of the body written so far. */
  getWriteOffset(): number;
  endWithoutBody(length?: number, close?: boolean): void;
  close(): void;
  cork(work: () => void): void;
  /** Stops reading the body until `resume`. */
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
  /**
   * Calls `each` with 1 for a new connection, and with -1 for a closed one, which has no address.
   */
  filter(each: (response: UwsResponse, count: number) => void): void;
  close(): void;
}

export interface Uws {
  App(): UwsApp;
  /**
   * Not documented: `silent` omits the field `uWebSockets: 20` from the responses of this thread
   * (docs/internals/dependencies.md). The version is exact, and a test reads the responses.
   */
  _cfg(key: 'silent'): void;
  us_listen_socket_close(socket: object): void;
  us_socket_local_port(socket: object): number;
  /** Option of listen: no other socket may share the port. */
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

/** A variable, so that the compiler does not resolve the package. */
const PACKAGE: string = 'uWebSockets.js';

/** The library reads this limit only from the environment, when it is loaded. */
const HEADER_VARIABLE = 'UWS_HTTP_MAX_HEADERS_SIZE';

/** The package, or the reason why it does not load. */
type LoadedUws = { readonly uws: Uws } | { readonly uws?: undefined; readonly reason: string };

export async function loadUws(): Promise<LoadedUws> {
  try {
    process.env[HEADER_VARIABLE] = String(MAX_HEADER);
    const loaded: unknown = await import(PACKAGE);
    return isUws(loaded) ? { uws: loaded } : { reason: `the package ${PACKAGE} is another one` };
  } catch (error) {
    return { reason: reasonOf(error as NodeJS.ErrnoException) };
  }
}

function isUws(value: unknown): value is Uws {
  return typeof value === 'object' && value !== null && 'App' in value && '_cfg' in value;
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const { platform, arch, versions } = process;
  if (code === 'ERR_MODULE_NOT_FOUND') return `the package ${PACKAGE} is not installed`;
  if (/Cannot find module/.test(message))
    return `${PACKAGE} has no binary for Node ${versions.node} on ${platform} ${arch}`;
  // The package prepends its own text to the error of the loader.
  return `${PACKAGE}: ${message.trim().split('\n').at(-1)}`;
}

/** Display names of the transports. */
export const TRANSPORT_NAMES = { uws: 'uWebSockets.js', node: 'node:http' } as const;
