/**
 * What takes too long (the time-outs of limits.ts), looked at once a second for a session: who only
 * drips, who takes nothing, who says nothing. Time is counted only while the client is who is
 * waited for.
 */
import { type Ending, type Failure, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import type { Receiver } from './receiver.ts';
import type { SessionHost } from './session-host.ts';
import type { Http2Stream } from './stream.ts';

/** Seconds that a client has to see a first GOAWAY. */
const DRAIN_SECONDS = 1;

/** The session, as its watch sees it. */
interface WatchedSession extends SessionHost {
  readonly receiver: Receiver;
  readonly isIdle: boolean;
  readonly isPaused: boolean;
  readonly isAwaitingSettings: boolean;
  /** Ends the session without waiting for the client. */
  cut(ending: Ending): void;
  /** Sends the final GOAWAY. */
  finishDrain(): void;
}

export class SessionWatch {
  readonly #session: WatchedSession;
  readonly #startedAt: number;
  /** Since when there is no stream. */
  #emptyAt: number;
  /**
   * What had left at a second of the clock; that is now whenever nothing is pending, or all that
   * there was has left.
   */
  #sentAt: number;
  #sent = 0;
  /** What was not acknowledged when it was first looked at after that; -1: it was not. */
  #unacknowledged = -1;
  #drainsAt = -1;
  #closesAt = -1;

  constructor(session: WatchedSession) {
    this.#session = session;
    const { now } = session.clock;
    this.#startedAt = now;
    this.#emptyAt = now;
    this.#sentAt = now;
  }

  drains(): void {
    this.#drainsAt = this.#session.clock.now;
  }

  closes(): void {
    if (this.#closesAt < 0) this.#closesAt = this.#session.clock.now;
  }

  wrote(): void {
    if (this.#session.output.waiting === 0) this.#marksSent(this.#session.clock.now);
  }

  #marksSent(now: number): void {
    this.#sentAt = now;
    this.#sent = this.#session.output.sent;
    this.#unacknowledged = -1;
  }

  /** A write is pending, and too little of it leaves. */
  #isSlow(now: number): boolean {
    const { output, limits } = this.#session;
    if (output.underWay === 0) {
      this.#marksSent(now);
      return false;
    }
    if (this.#unacknowledged < 0) this.#unacknowledged = output.unacknowledged;
    if ((now - this.#sentAt) * 1000 < limits.stallTimeout) return false;
    const taken = output.sent - this.#sent + this.#unacknowledged - output.unacknowledged;
    this.#marksSent(now);
    return taken < (limits.stallTimeout / 1000) * limits.minRate;
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
    if (!session.isOpen) {
      if ((now - this.#closesAt) * 1000 >= limits.lingerTimeout) session.cut(SESSION_ENDING.destroyed);
      return null;
    }
    if (this.#isSlow(now)) {
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
    const { dataStreamId, withinBytes } = session.receiver;
    for (const stream of session.streams.open) {
      const progress = stream.id === dataStreamId ? stream.progress + withinBytes : stream.progress;
      if (this.#isIdle(stream, progress, now)) {
        session.streams.endIdle(stream);
        if (!session.isOpen) return;
        continue;
      }
      const hasMore = stream.queued > 0 || stream.isSeeking;
      const isBlocked = hasMore && (stream.sendWindow <= 0 || session.sender.window <= 0);
      const isAwaited = isBlocked || awaitsBody(stream);
      if (isAwaited && (now - stream.markedAt) * 1000 < stallTimeout) continue;
      const isTooSlow = isAwaited && progress - stream.marked < (stallTimeout / 1000) * minRate;
      stream.markedAt = now;
      stream.marked = progress;
      if (isTooSlow) session.streams.resetStream(stream, isBlocked ? STREAM_ENDING.stalled : STREAM_ENDING.slowBody);
      if (!session.isOpen) return;
    }
  }

  /**
   * Nothing has moved for long, and nothing waits for the client to take it: that has limits of its
   * own.
   */
  #isIdle(stream: Http2Stream, progress: number, now: number): boolean {
    const { streamIdleTimeout, tunnelIdleTimeout } = this.#session.limits;
    if (progress !== stream.moved || stream.queued > 0) {
      stream.moved = progress;
      stream.movedAt = now;
      return false;
    }
    const isPatient = stream.isTunnel || stream.isConversation;
    return (now - stream.movedAt) * 1000 >= (isPatient ? tunnelIdleTimeout : streamIdleTimeout);
  }
}

/**
 * Its handler waits for more of the request. Not once it answers: then the two may be talking, as
 * in a tunnel.
 */
const awaitsBody = (stream: Http2Stream): boolean =>
  stream.queue?.isWaiting === true && !stream.isRemoteEnded && !stream.hasHead && !stream.isConversation;
