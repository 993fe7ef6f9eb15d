/**
 * One request and its response in any version of HTTP (RFC 9110). edge/http/http1 and
 * edge/http/http2 pass it to a handler. All methods must be called on the thread of the connection.
 * No method throws because of the client. After the exchange has ended, writes are dropped and
 * reads return the end.
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

/** The client of a connection. */
export interface Client {
  /** IPv4 or IPv6 address as text; an IPv4-mapped one as IPv4. */
  readonly address: string;
  readonly port: number;
  /** The server name of the TLS handshake (SNI), in lower case; empty: none, or no TLS. */
  readonly serverName: string;
  readonly isEncrypted: boolean;
  /** Such as TLSv1.3; empty: no TLS. */
  readonly tlsVersion?: string;
  /**
   * The client's verified certificate in the format of the Client-Cert field (RFC 9440); empty:
   * none.
   */
  readonly certificate?: string;
  /** Fingerprint of the TLS policy of the handshake (edge/http/tls/certificate.ts); empty: none. */
  readonly tlsPolicy?: string;
  /** The process was overloaded when the connection came: its requests get 503 until that ends. */
  readonly isSurplus?: boolean;
}

/**
 * The scheme and authority that the visitor requested. Behind a trusted proxy, its field states the
 * scheme, because the connection to the edge is the proxy's own.
 */
export interface VisitedSite {
  readonly scheme: 'http' | 'https';
  readonly authority: string;
}

export interface Exchange {
  readonly version: '1.0' | '1.1' | '2';
  readonly client: Client;
  /** As sent: methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /**
   * The scheme of the target URI as the client wrote it. `https` without TLS claims that a proxy in
   * front has terminated TLS. Otherwise equal to `scheme`.
   */
  readonly targetScheme: 'http' | 'https';
  /**
   * Host and optional port, in lower case and without user information. Validated (RFC 9110 section
   * 7.2).
   */
  readonly authority: string;
  /** Path and query, starting with "/", or "*"; empty for a CONNECT without `protocol`. */
  readonly path: string;
  /** Without pseudo-headers, `host` and connection-specific fields (RFC 9110 section 7.6.1). */
  readonly headers: FieldList;
  /**
   * The requested protocol of a tunnel: of an Upgrade (RFC 9110 section 7.8) or of an extended
   * CONNECT (RFC 8441), `websocket` in lower case; else empty. The request may have a body, which
   * comes before the bytes of the tunnel in `body`; its length is in `headers` (`content-length`).
   */
  readonly protocol: string;
  readonly body: RequestBody;
  /**
   * The account of the client's network. Memory held for the client outside of the exchange is
   * charged there.
   */
  readonly memory: ClientMemory;
  /** True once the response is complete or the exchange was aborted. */
  readonly isEnded: boolean;
  /** Index in the list of exchanges in flight (edge/policy/fairness/site-turns.ts); -1: in none. */
  inFlightAt: number;
  /** Null: not determined yet (edge/proxy/visitor.ts). */
  visited: VisitedSite | null;

  /**
   * Sends an informational response (RFC 9110 section 15.2), such as 103; not 101. Ignored for a
   * client of HTTP/1.0.
   */
  inform(status: number, headers: FieldList): void;

  /** Applies the idle timeout of tunnels: both sides may be silent for long. */
  expectSilence?(): void;

  /**
   * Sends a whole response, once. This is the fastest way, since the encoded head is reused across
   * exchanges. A response to HEAD has no body.
   */
  answer(ready: ReadyAnswer): void;

  /**
   * Sends the head of a streamed response, once, not after `answer`. `date` is added if missing.
   * The connection does the framing: a `content-length` is sent and enforced; without it HTTP/1.1
   * sends chunks. The body of a response to HEAD, of a 204 and of a 304 is dropped.
   */
  respond(status: number, headers: FieldList): void;

  /**
   * Reserves memory before a part of the body is fetched. Returns the bytes that may be fetched
   * now, at most `bytes`. They are charged to the network of the client until they have been sent
   * or the exchange has ended. 0: the client is not reading, or its network has used up its share;
   * ask again at `onDrain`.
   */
  reserve(bytes: number): number;

  /**
   * Writes a part of the body. The exchange owns its bytes. False: wait for `onDrain` before the
   * next part.
   */
  write(chunk: Uint8Array): boolean;

  /**
   * The same, but the bytes are valid during the call only. Bytes that are not sent at once are
   * copied.
   */
  lend(chunk: Uint8Array): boolean;

  /**
   * Ends the body, optionally with trailers (over HTTP/1.1 only if the client sent `TE: trailers`).
   * `isLent`: the bytes are valid during the call only, as in `lend`.
   */
  end(chunk?: Uint8Array, trailers?: FieldList, isLent?: boolean): void;

  /**
   * Sets the only listener for back pressure. It is called when the next part may be written or
   * reserved.
   */
  onDrain(listener: () => void): void;

  /**
   * Sets the only listener for an abort: the client reset the stream, the connection broke, or a
   * limit was exceeded. Called at most once, and never during a call of a method.
   */
  onAbort(listener: (cause: AbortCause) => void): void;

  /**
   * Accepts the tunnel of `protocol` with these headers: 101 or 200. Bytes then arrive in `body`
   * and are sent by `write` and `end`. The caller provides `sec-websocket-accept` for HTTP/1.1,
   * since the origin sends it.
   */
  upgrade(headers: FieldList): void;

  /**
   * Aborts the exchange: HTTP/2 resets the stream with INTERNAL_ERROR, HTTP/1.1 closes the
   * connection.
   */
  abort(): void;
}

export interface RequestBody {
  /** Bytes announced by `content-length`; 0: no body; undefined: unknown. */
  readonly length: number | undefined;
  /**
   * Returns the next part, or null at the end. Only one read may be pending. Flow control lets the
   * client send more only as parts are read. Rejects with an AbortError if the body ends
   * prematurely. The reader owns the bytes.
   */
  read(): Promise<Uint8Array | null>;
  /**
   * Pushes the whole body to `sink` as it arrives, buffered parts within the call. This saves a
   * copy and a promise for each part. Not while a read is pending, and no reads after it. Missing
   * if the body can only be read.
   */
  flow?(sink: BodySink): BodyFlow;
  /** Discards the rest of the body. Done automatically when the response has ended. */
  discard(): void;
  /** The trailer fields after the end; else empty (RFC 9110 section 6.5). */
  readonly trailers: FieldList;
}

export interface BodyFlow {
  /** The sink accepts more parts. */
  resume(): void;
}

/** The receiver of a body. */
export interface BodySink {
  /**
   * The next part, not empty. Its bytes are valid during the call only. False: no more until
   * `resume`. Must not throw.
   */
  onPart(part: Uint8Array): boolean;
  /**
   * The end, once. Null: the body is complete or was discarded. Otherwise the reason for the abort.
   * Must not throw.
   */
  onOver(error: Error | null): void;
}

/** Cause of an abort. */
export type AbortCause =
  | 'client' // the client reset the stream or closed the connection
  | 'limit' // a limit of the connection: too slow, idle for too long, or a flood
  | 'protocol' // the client violated the protocol
  | 'drain'; // the server shuts down

/**
 * Called for every request with a complete and well-formed head. If it throws or rejects, the
 * exchange ends with 500, or is aborted if a head was sent. An AbortError is not reported as an
 * error, since the exchange was aborted before.
 */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** A request body that ended prematurely. */
export class AbortError extends Error {
  override readonly name = 'AbortError';
  constructor(readonly reason: AbortCause) {
    super(`The request ended before its time (${reason}).`);
  }
}
