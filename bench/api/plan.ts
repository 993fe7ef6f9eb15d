/** The orders of the load generator and its reports; both as JSON. */

/**
 * Where a request has this, the generator puts a label that no request had before. Of the same
 * length, so that Content-Length holds.
 */
export const FRESH = '%%%%%%%%%%%%%%%%';

export interface Plan {
  readonly port: number;
  /** Whole requests, head and body. */
  readonly requests: readonly string[];
  /** Every client sends all of them in turn, or client i always request i modulo their number. */
  readonly order: 'rotate' | 'own';
  readonly clients: number;
  /** Each client keeps its connection, or makes one for every request. */
  readonly keepAlive: boolean;
  readonly seconds: number;
  readonly warmup: number;
  /**
   * No more requests than these, the warm-up's included; left out: as many as there is time for.
   */
  readonly count?: number;
  /** The only right status. */
  readonly status: number;
  /**
   * What a right body contains; looked at in one answer of 64. Left out: an empty body is right.
   */
  readonly contains?: readonly string[];
}

export interface LoadResult {
  /** Answers a second in the measured time. */
  readonly perSecond: number;
  readonly seconds: number;
  /** Answers in the measured time. */
  readonly measured: number;
  /** All answers, of the warm-up and the end too: what the server's CPU time is divided by. */
  readonly answers: number;
  /**
   * Answers of another status or (of those looked at) body than the right one, and connections that
   * broke.
   */
  readonly wrong: number;
  /** The first of them, its beginning. */
  readonly firstWrong: string | null;
  /** Bodies looked at. */
  readonly looked: number;
  /** Bytes of an answer, head and body, on average. */
  readonly bytes: number;
  /**
   * Milliseconds from the begin of the connection (or, when that is kept, of the request) to the
   * last byte.
   */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Share of the measured time in which the generator took CPU. Near 1 it is the bottleneck. */
  readonly busy: number;
}

/** Text of an HTTP/1.1 request. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`);
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}

/** The same request, asking that the connection be closed after its answer (RFC 9112 9.6). */
export function closing(text: string): string {
  return text.replace('\r\n', '\r\nConnection: close\r\n');
}
