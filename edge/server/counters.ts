/** What happened to the connections of a thread before HTTP, and what they became: one number for each column, in memory that others may read. */

export const SERVER_COLUMNS = [
  'accepted_tls',
  'accepted_clear',
  /** Of those accepted. */
  'closed',
  /** Not taken since there were too many: in all, or of one client. */
  'refused_total',
  'refused_address',
  'handshakes_full',
  'handshakes_resumed',
  'tls_1_2',
  'tls_1_3',
  /** The version of HTTP was not told in time. */
  'handshake_timeout',
  /** A server name that has no certificate. */
  'unrecognized_name',
  /** The client left, or spoke something else. */
  'handshake_failed',
  'http1',
  'http2',
  /** Still there when the time to drain was over. */
  'drain_cut',
] as const;
export type ServerColumn = (typeof SERVER_COLUMNS)[number];

/** Octets that the counters of a thread take. */
export const SERVER_COUNTERS_BYTES = SERVER_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

const COLUMN = Object.fromEntries(SERVER_COLUMNS.map((name, column) => [name, column])) as Readonly<
  Record<ServerColumn, number>
>;

export class ServerCounters {
  /** One for each of SERVER_COLUMNS; whole numbers, that only grow. Written by one thread. */
  readonly values: Float64Array;

  /** `memory`: SERVER_COUNTERS_BYTES, shared perhaps; own memory without it. */
  constructor(memory: ArrayBufferLike = new ArrayBuffer(SERVER_COUNTERS_BYTES)) {
    this.values = new Float64Array(memory, 0, SERVER_COLUMNS.length);
  }

  get(name: ServerColumn): number {
    return this.values[COLUMN[name]];
  }

  count(name: ServerColumn, by = 1): void {
    this.values[COLUMN[name]] += by;
  }
}
