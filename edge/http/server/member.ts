/** A connection as its server counts and bounds it, whatever carries it. */
export interface Member {
  /** Milliseconds of performance.now() until which the version of HTTP must be known. */
  readonly deadline: number;
  /** The time for the handshake is over. */
  expire(): void;
  /**
   * No new requests; what is in flight may end. What a new connection was opened for is in flight,
   * too: it goes on, and is drained when it is settled.
   */
  drain(): void;
  /** The time to drain is over. */
  cut(): void;
}
