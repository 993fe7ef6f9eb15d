/** A connection as its server tracks it, independent of its transport. */
export interface Member {
  /** Deadline for detecting the version of HTTP, in milliseconds of performance.now(). */
  readonly deadline: number;
  /** The handshake timed out. */
  expire(): void;
  /**
   * Stops accepting requests. Requests in flight may complete. A connection in its handshake
   * continues, and drains once its version of HTTP is known.
   */
  drain(): void;
  /** The drain timed out. */
  cut(): void;
}
