/**
 * Judges whether a request body arrives fast enough, while the server waits for it. The rule is the
 * same in both versions of HTTP and for the connection to the origin. Uploads pause: a phone
 * changes its network, a program computes the next part. So the rate is measured over minutes. When
 * slots or memory are scarce, a body is judged by its last seconds.
 */

export interface BodyLimits {
  /**
   * Minimum rate in bytes per second, over `bodyWindow`, and under pressure over
   * `bodyPressedWindow`.
   */
  readonly bodyRate: number;
  /** Milliseconds. */
  readonly bodyWindow: number;
  readonly bodyPressedWindow: number;
  /** Maximum milliseconds without a byte. */
  readonly bodyPause: number;
}

/** Whether slots or memory are scarce for the client or its site. */
export interface Pressure {
  readonly isPressed: boolean;
}

export class BodyPace {
  /** Start of the long and of the short window, and the bytes received by then. */
  #from = 0;
  #bytes = 0;
  #shortFrom = 0;
  #shortBytes = 0;
  /** The last complete short window was below the minimum rate. */
  #wasSlow = false;
  /** Time of the last byte. */
  #movedAt = 0;
  #received = 0;

  /** `now`: milliseconds. `received`: bytes of the body so far. */
  constructor(now: number, received: number) {
    this.restart(now, received);
  }

  /** The server does not wait for the client. */
  restart(now: number, received: number): void {
    this.#from = now;
    this.#bytes = received;
    this.#shortFrom = now;
    this.#shortBytes = received;
    this.#wasSlow = false;
    this.#movedAt = now;
    this.#received = received;
  }

  /** To be called repeatedly, more often than the shortest limit. */
  isTooSlow(now: number, received: number, limits: BodyLimits, pressure: Pressure): boolean {
    if (received !== this.#received) {
      this.#received = received;
      this.#movedAt = now;
    }
    if (now - this.#movedAt >= limits.bodyPause) return true;
    const short = now - this.#shortFrom;
    if (short >= limits.bodyPressedWindow) {
      this.#wasSlow = isBelow(received - this.#shortBytes, limits.bodyRate, short);
      this.#shortFrom = now;
      this.#shortBytes = received;
    }
    if (this.#wasSlow && pressure.isPressed) return true;
    const elapsed = now - this.#from;
    if (elapsed < limits.bodyWindow) return false;
    const isSlow = isBelow(received - this.#bytes, limits.bodyRate, elapsed);
    this.#from = now;
    this.#bytes = received;
    return isSlow;
  }
}

/** Milliseconds between two calls of `isTooSlow`. */
export const paceInterval = ({ bodyWindow, bodyPressedWindow, bodyPause }: BodyLimits): number =>
  Math.min(bodyWindow, bodyPressedWindow, bodyPause) / 2;

const isBelow = (bytes: number, rate: number, ms: number): boolean => bytes * 1000 < rate * ms;
