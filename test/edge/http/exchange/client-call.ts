/**
 * One request of a client of node's, by either version of HTTP, for tests that look at what arrives
 * and when.
 */
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { request as secureRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { unverified } from '../../../support/tls-client.ts';

export type Fields = Readonly<Record<string, string | string[] | undefined>>;

export interface ResponseStart {
  readonly status: number;
  readonly headers: Fields;
}

export interface CallOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body follows by `write` and `end`; without it the request is whole at once. */
  readonly hasBody?: boolean;
  readonly authority?: string;
}

export interface Call {
  readonly informational: ResponseStart[];
  /** Rejects when the exchange ends before a head. */
  readonly head: Promise<ResponseStart>;
  /** The body as it comes, once the head is there. Breaks with an error when it is not whole. */
  stream(): Promise<Readable>;
  /** After the stream's end. */
  trailers(): Fields;
  /**
   * Resolves when the part has been taken by the connection: late, when the server doesn't read.
   */
  write(part: Uint8Array): Promise<void>;
  end(part?: Uint8Array, trailers?: Record<string, string>): void;
  reset(): void;
}

/** All of a body. */
export async function bytesOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

const fieldsOf = ({ ...headers }: IncomingHttpHeaders): Fields => headers;

class Http1Call implements Call {
  readonly informational: ResponseStart[] = [];
  readonly head: Promise<ResponseStart>;
  readonly #request: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  #message: IncomingMessage | undefined;

  constructor(outgoing: ClientRequest, hasBody: boolean) {
    this.#request = outgoing;
    outgoing.on('information', ({ statusCode, headers }) =>
      this.informational.push({ status: statusCode, headers: fieldsOf(headers) }),
    );
    this.#response = new Promise((resolve, reject) => {
      outgoing.on('response', (message) => {
        this.#message = message;
        resolve(message);
      });
      outgoing.on('error', reject);
      outgoing.on('close', () => reject(new Error('Closed without a response.')));
    });
    this.head = this.#response.then((message) => ({
      status: message.statusCode ?? 0,
      headers: fieldsOf(message.headers),
    }));
    this.head.catch(() => {});
    if (hasBody) outgoing.flushHeaders();
    else outgoing.end();
  }

  stream(): Promise<Readable> {
    return this.#response;
  }

  trailers(): Fields {
    return { ...this.#message?.trailers };
  }

  write(part: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#request.write(part, (error) => (error ? reject(error) : resolve()));
    });
  }

  end(part?: Uint8Array, trailers?: Record<string, string>): void {
    if (trailers !== undefined) this.#request.addTrailers(trailers);
    this.#request.end(part);
  }

  reset(): void {
    this.#request.destroy();
  }
}

class Http2Call implements Call {
  readonly informational: ResponseStart[] = [];
  readonly head: Promise<ResponseStart>;
  readonly #stream: ClientHttp2Stream;
  readonly #sendsTrailers: { fields: Record<string, string> | undefined };
  #trailers: Fields = {};

  constructor(stream: ClientHttp2Stream, sendsTrailers: { fields: Record<string, string> | undefined }) {
    this.#stream = stream;
    this.#sendsTrailers = sendsTrailers;
    stream.on('headers', (headers) => this.informational.push(startOf(headers)));
    stream.on('trailers', (trailers) => {
      this.#trailers = { ...trailers };
    });
    stream.on('error', () => {});
    this.head = new Promise((resolve, reject) => {
      stream.on('response', (headers) => resolve(startOf(headers)));
      stream.on('error', reject);
      stream.on('close', () => reject(new Error('Closed without a response.')));
    });
    this.head.catch(() => {});
  }

  async stream(): Promise<Readable> {
    await this.head;
    return this.#stream;
  }

  trailers(): Fields {
    return this.#trailers;
  }

  write(part: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(part, (error) => (error ? reject(error) : resolve()));
    });
  }

  end(part?: Uint8Array, trailers?: Record<string, string>): void {
    this.#sendsTrailers.fields = trailers;
    this.#stream.end(part);
  }

  reset(): void {
    this.#stream.close(8);
  }
}

function startOf({ ':status': status, ...headers }: IncomingHttpHeaders & { ':status'?: number }): ResponseStart {
  return { status: status ?? 0, headers: fieldsOf(headers) };
}

/** By HTTP/1.1, on a connection of its own. */
export function http1Call(port: number, isEncrypted: boolean, options: CallOptions): Call {
  const { method = 'GET', path = '/', headers = {}, hasBody = false, authority = 'site.test' } = options;
  const send = isEncrypted ? secureRequest : request;
  const outgoing = send({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { host: authority, ...headers },
    agent: false,
    ...(isEncrypted ? unverified({ servername: 'site.test' }) : {}),
  });
  return new Http1Call(outgoing, hasBody);
}

/** By HTTP/2. */
export function http2Call(session: ClientHttp2Session, scheme: string, options: CallOptions): Call {
  const { method = 'GET', path = '/', headers = {}, hasBody = false, authority = 'site.test' } = options;
  const fields: OutgoingHttpHeaders = {
    ':method': method,
    ':scheme': scheme,
    ':authority': authority,
    ':path': path,
    ...headers,
  };
  const trailers: { fields: Record<string, string> | undefined } = { fields: undefined };
  const stream = session.request(fields, { endStream: !hasBody, waitForTrailers: hasBody });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers.fields ?? {}));
  return new Http2Call(stream, trailers);
}
