/**
 * What takes too long (the time-outs of limits.ts), looked at once a second for a session: who only drips, who takes nothing, who says nothing. Time is counted
 * only while the client is who is waited for.
 */
import { type Failure, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import type { Http2Session } from './session.ts';
import type { Http2Stream } from './stream.ts';

/** Seconds that a client has to see a first GOAWAY. */
const DRAIN_SECONDS = 1;

export class SessionWatch {
  readonly #session: Http2Session;
  readonly #startedAt: number;
  /** Since when there is no stream. */
  #emptyAt: number;
  /** When a write ended, or none was under way, last. */
  #wroteAt: number;
  #drainsAt = -1;
  #closesAt = -1;

  constructor(session: Http2Session) {
    this.#session = session;
    const { now } = session.clock;
    this.#startedAt = now;
    this.#emptyAt = now;
    this.#wroteAt = now;
  }

  drains(): void {
    this.#drainsAt = this.#session.clock.now;
  }

  closes(): void {
    if (this.#closesAt < 0) this.#closesAt = this.#session.clock.now;
  }

  wrote(): void {
    this.#wroteAt = this.#session.clock.now;
  }

  empties(): void {
    this.#emptyAt = this.#session.clock.now;
  }

  tick(now: number): void {
    const ending = this.#overdue(now);
    if (ending !== null) this.#session.fail(ending);
  }

  /** Why the session ends, if it does so by a GOAWAY. */
  #overdue(now: number): Failure {
    const session = this.#session;
    const { limits } = session;
    if (session.output.underWay === 0) this.#wroteAt = now;
    if (!session.isOpen) {
      if ((now - this.#closesAt) * 1000 >= limits.lingerTimeout) session.cut(SESSION_ENDING.destroyed);
      return null;
    }
    if ((now - this.#wroteAt) * 1000 >= limits.stallTimeout) {
      session.cut(SESSION_ENDING.slowReader);
      return null;
    }
    if (!session.receiver.hasPreface) {
      return (now - this.#startedAt) * 1000 >= limits.prefaceTimeout ? SESSION_ENDING.slowPreface : null;
    }
    const { withinSince } = session.receiver;
    if (withinSince >= 0 && !session.isPaused && (now - withinSince) * 1000 >= limits.headerTimeout)
      return SESSION_ENDING.slowHeaders;
    if (session.isAwaitingSettings && (now - this.#startedAt) * 1000 >= limits.settingsTimeout)
      return SESSION_ENDING.settingsTimeout;
    if (this.#drainsAt >= 0 && now - this.#drainsAt > DRAIN_SECONDS) session.finishDrain();
    if (session.isIdle) {
      if ((now - this.#emptyAt) * 1000 >= limits.idleTimeout) return SESSION_ENDING.idle;
    } else if (session.streams.count > 0) this.#streams(now);
    return null;
  }

  #streams(now: number): void {
    const session = this.#session;
    const { stallTimeout, minRate } = session.limits;
    for (const stream of session.streams.open) {
      const isBlocked = stream.queued > 0 && (stream.sendWindow <= 0 || session.sender.window <= 0);
      const isAwaited = isBlocked || awaitsBody(stream);
      if (isAwaited && (now - stream.markedAt) * 1000 < stallTimeout) continue;
      const isTooSlow = isAwaited && stream.progress < (stallTimeout / 1000) * minRate;
      stream.markedAt = now;
      stream.progress = 0;
      if (isTooSlow) session.streams.resetStream(stream, isBlocked ? STREAM_ENDING.stalled : STREAM_ENDING.slowBody);
      if (!session.isOpen) return;
    }
  }
}

/** Its handler waits for more of the request. Not once it answers: then the two may be talking, as in a tunnel. */
const awaitsBody = (stream: Http2Stream): boolean =>
  stream.queue?.isWaiting === true && !stream.isRemoteEnded && !stream.hasHead;
