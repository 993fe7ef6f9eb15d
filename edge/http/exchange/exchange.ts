/**
 * One request and its response, whichever version of HTTP carries them (RFC 9110): what
 * edge/http/http1 and edge/http/http2 give to a handler. All methods belong to the thread of the
 * connection; none throws for what the other side did: after the exchange has ended, by itself or
 * by the client, writes are dropped and reads say the end.
 *
 *     handler(exchange) ─► body.read() …            request, pulled
 *                       ─► inform() 0..n            1xx
 *                       ─► answer(ready)            a whole response, or
 *                          respond() write()* end() a streamed one, or
 *                          upgrade()                a tunnel of bytes, or
 *                          abort()
 */
import type { ClientMemory } from './client-memory.ts';
import type { FieldList } from './field-list.ts';
import type { ReadyAnswer } from './ready-answer.ts';

/** What asked, as the connection knows it. */
export interface Client {
  /** IPv4 or IPv6 address as text; an IPv4-mapped one as IPv4. */
  readonly address: string;
  readonly port: number;
  /**
   * The server name of the TLS handshake (SNI), in lower case; empty without one or without TLS.
   */
  readonly serverName: string;
  readonly isEncrypted: boolean;
  /** The client's verified certificate, as the field Client-Cert has it (RFC 9440); empty: none. */
  readonly certificate?: string;
  /** Fingerprint of the policy that the handshake met (edge/http/tls/policy.ts); empty: none. */
  readonly tlsPolicy?: string;
}

export interface Exchange {
  readonly version: '1.0' | '1.1' | '2';
  readonly client: Client;
  /** As sent: methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /**
   * The scheme of the target URI as the client wrote it: `https` without TLS claims that a proxy in
   * front has ended TLS. Else it is `scheme`.
   */
  readonly targetScheme: 'http' | 'https';
  /**
   * Host and perhaps port, in lower case, without user information; checked to be one (RFC 9110
   * section 7.2).
   */
  readonly authority: string;
  /** Path and query, beginning with "/", or "*"; empty for a CONNECT without `protocol`. */
  readonly path: string;
  /**
   * Without pseudo-headers, `host` and what concerns the connection only (RFC 9110 section 7.6.1).
   */
  readonly headers: FieldList;
  /**
   * What a tunnel is asked for: `websocket` in an Upgrade (RFC 6455) or an extended CONNECT (RFC
   * 8441); else empty.
   */
  readonly protocol: string;
  readonly body: RequestBody;
  /**
   * The account of the client's network: what is held for the client outside of the exchange is
   * charged there.
   */
  readonly memory: ClientMemory;
  /** True once nothing that is written arrives any more, or all has been written. */
  readonly isEnded: boolean;
  /**
   * Where it is in the list of those in flight (edge/policy/fairness/site-turns.ts); -1: in none.
   */
  inFlightAt: number;

  /**
   * An informational response (RFC 9110 section 15.2), such as 103; not 101. Not sent to a client
   * of HTTP/1.0.
   */
  inform(status: number, headers: FieldList): void;

  /** Both sides may be silent for long, as in a tunnel. */
  expectSilence?(): void;

  /**
   * A whole response, once. The fastest way: the bytes of its head are kept between exchanges. HEAD
   * gets no body.
   */
  answer(ready: ReadyAnswer): void;

  /**
   * The head of a streamed response, once, not after `answer`. `date` is added when it is missing.
   * Framing is the connection's: a `content-length` is sent and held to, without one HTTP/1.1 uses
   * chunks. A body to HEAD, 204 and 304 is dropped.
   */
  respond(status: number, headers: FieldList): void;

  /**
   * Asks for room before a part of the body is fetched: how many bytes, `bytes` at most, may be
   * fetched for the client now. They are charged to its network's memory until they have been
   * written and have left, or the exchange has ended. 0: the client takes nothing now, or its
   * network holds its share; ask again at `onDrain`.
   */
  reserve(bytes: number): number;

  /**
   * A part of the body; the bytes belong to the exchange from here on. False: wait for `onDrain`
   * before the next.
   */
  write(chunk: Uint8Array): boolean;

  /**
   * The same, but the bytes are there during the call only: what does not leave at once is copied.
   */
  lend(chunk: Uint8Array): boolean;

  /**
   * The end of the body, perhaps with trailers (HTTP/1.1: only if the client said `TE: trailers`).
   * `isLent`: the bytes are valid during the call only, as those of `lend`.
   */
  end(chunk?: Uint8Array, trailers?: FieldList, isLent?: boolean): void;

  /** The one listener for "the next part may come, or be asked for". */
  onDrain(listener: () => void): void;

  /**
   * The one listener for an end before its time, at most once and never during the call of a
   * method: the client reset, the connection broke, a limit was met.
   */
  onAbort(listener: (cause: AbortCause) => void): void;

  /**
   * Accepts the tunnel that `protocol` asks for: 101 or 200 with these headers; bytes then go both
   * ways, in by `body`, out by `write` and `end`. The `sec-websocket-accept` of HTTP/1.1 is the
   * caller's, as it comes from the origin.
   */
  upgrade(headers: FieldList): void;

  /**
   * Ends the exchange where it is: HTTP/2 resets the stream with INTERNAL_ERROR, HTTP/1.1 closes
   * the connection.
   */
  abort(): void;
}

export interface RequestBody {
  /**
   * Bytes that `content-length` announced; 0 when there is no body; undefined when it is not known.
   */
  readonly length: number | undefined;
  /**
   * The next part, or null at the end. One read at a time. The client may send more only as parts
   * are taken. Rejects with an AbortError when the body ends before its time. The bytes are the
   * reader's to keep.
   */
  read(): Promise<Uint8Array | null>;
  /**
   * Gives all of the body to `sink` as it comes, what is here already within the call, which spares
   * a copy and a promise for each part. Not while a part is being read, and nothing is read after
   * it. Missing where a body has to be read.
   */
  flow?(sink: BodySink): BodyFlow;
  /** Takes no more: what comes is dropped. Done by itself when the response has ended. */
  discard(): void;
  /** After the end: the trailer fields, else empty (RFC 9110 section 6.5). */
  readonly trailers: FieldList;
}

export interface BodyFlow {
  /** The sink takes more again. */
  resume(): void;
}

/** Where a body flows to. */
export interface BodySink {
  /**
   * The next part, not empty; its bytes are there during the call only. False: no more until
   * `resume`. Must not throw.
   */
  onPart(part: Uint8Array): boolean;
  /**
   * All has come, or nobody wants more: null; else why it broke off. Once, after which nothing
   * comes. Must not throw.
   */
  onOver(error: Error | null): void;
}

/** Who ended it. */
export type AbortCause =
  | 'client' // reset the stream or closed the connection
  | 'limit' // too slow, too long idle, a flood: the connection's limits
  | 'protocol' // broke the protocol
  | 'drain'; // this server stops

/**
 * Called for every request whose head is complete and well-formed. What it throws, or rejects with,
 * ends the exchange with 500 if no head was sent, else aborts it; an AbortError that it lets pass
 * is the client's doing, and told to nobody as an error.
 */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** A request body that ended before its time. */
export class AbortError extends Error {
  override readonly name = 'AbortError';
  constructor(readonly reason: AbortCause) {
    super(`The request ended before its time (${reason}).`);
  }
}
