/**
 * Enforces the timeouts of limits.ts for a session, once a second: slow requests, slow readers and
 * idle connections. Time counts only while the server waits for the client.
 */
import { BodyPace, type Pressure } from '../exchange/body-pace.ts';
import { type Ending, type Failure, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import type { Receiver } from './receiver.ts';
import type { SessionHost } from './session-host.ts';
import type { Http2Stream } from './stream.ts';

/** Seconds after the first GOAWAY until the final one. */
const DRAIN_SECONDS = 1;

/** The part of the session that the watch uses. */
interface WatchedSession extends SessionHost, Pressure {
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
  /** When the last open stream was closed. */
  #emptyAt: number;
  /**
   * Time and value of the last sample of `output.sent`. A new sample is made at each tick without a
   * pending write, and when all output is sent.
   */
  #sentAt: number;
  #sent = 0;
  /** Unacknowledged bytes at the first tick after that sample; -1: no tick yet. */
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

  markDrain(): void {
    this.#drainsAt = this.#session.clock.now;
  }

  markClose(): void {
    if (this.#closesAt < 0) this.#closesAt = this.#session.clock.now;
  }

  markWrite(): void {
    if (this.#session.output.waiting === 0) this.#sampleSent(this.#session.clock.now);
  }

  #sampleSent(now: number): void {
    this.#sentAt = now;
    this.#sent = this.#session.output.sent;
    this.#unacknowledged = -1;
  }

  /** A write is pending, and the client receives it at less than `minRate`. */
  #isSlow(now: number): boolean {
    const { output, limits } = this.#session;
    if (output.underWay === 0) {
      this.#sampleSent(now);
      return false;
    }
    if (this.#unacknowledged < 0) this.#unacknowledged = output.unacknowledged;
    if ((now - this.#sentAt) * 1000 < limits.stallTimeout) return false;
    const received = output.sent - this.#sent + this.#unacknowledged - output.unacknowledged;
    this.#sampleSent(now);
    return received < (limits.stallTimeout / 1000) * limits.minRate;
  }

  markEmpty(): void {
    this.#emptyAt = this.#session.clock.now;
  }

  tick(now: number): void {
    const ending = this.#overdue(now);
    if (ending !== null) this.#session.fail(ending);
  }

  /** Returns why the session has to end with a GOAWAY, or null. */
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
    const { incompleteSince } = session.receiver;
    if (incompleteSince >= 0 && !session.isPaused && (now - incompleteSince) * 1000 >= limits.headerTimeout)
      return SESSION_ENDING.slowHeaders;
    if (session.isAwaitingSettings && (now - this.#startedAt) * 1000 >= limits.settingsTimeout)
      return SESSION_ENDING.settingsTimeout;
    if (this.#drainsAt >= 0 && now - this.#drainsAt > DRAIN_SECONDS) session.finishDrain();
    if (session.isIdle) {
      if ((now - this.#emptyAt) * 1000 >= limits.idleTimeout) return SESSION_ENDING.idle;
    } else if (session.streams.count > 0) this.#checkStreams(now);
    return null;
  }

  #checkStreams(now: number): void {
    const session = this.#session;
    const { stallTimeout, minRate } = session.limits;
    const { dataStreamId, incompleteBytes } = session.receiver;
    for (const stream of session.streams.open) {
      const progress = stream.id === dataStreamId ? stream.progress + incompleteBytes : stream.progress;
      if (stream.lingersSince >= 0) {
        if (this.#hasLingered(stream, progress, now)) session.streams.resetStream(stream, STREAM_ENDING.early);
        continue;
      }
      if (this.#isIdle(stream, progress, now)) {
        session.streams.endIdle(stream);
        if (!session.isOpen) return;
        continue;
      }
      const hasMore = stream.queued > 0 || stream.awaitsReservation;
      const isBlocked = hasMore && (stream.sendWindow <= 0 || session.sender.window <= 0);
      if (!isBlocked && this.#isSlowBody(stream, progress, now))
        session.streams.endSlow(stream, STREAM_ENDING.slowBody);
      if (!session.isOpen) return;
      if (isBlocked && (now - stream.markedAt) * 1000 < stallTimeout) continue;
      const isStalled = isBlocked && progress - stream.marked < (stallTimeout / 1000) * minRate;
      stream.markedAt = now;
      stream.marked = progress;
      if (isStalled) session.streams.resetStream(stream, STREAM_ENDING.stalled);
      if (!session.isOpen) return;
    }
  }

  /** `progress` changes with each byte of the body. */
  #isSlowBody(stream: Http2Stream, progress: number, now: number): boolean {
    if (!awaitsBody(stream)) {
      stream.pace = null;
      return false;
    }
    stream.pace ??= new BodyPace(now * 1000, progress);
    return stream.pace.isTooSlow(now * 1000, progress, this.#session.limits, this.#session);
  }

  /**
   * The response was complete before the request. The client has had time to read it, so the stream
   * may be reset (RFC 9113 section 8.1). Shorter while the session drains.
   */
  #hasLingered(stream: Http2Stream, progress: number, now: number): boolean {
    const { lingerTimeout, lingerDuration } = this.#session.limits;
    if (progress !== stream.moved || stream.movedAt < stream.lingersSince) {
      stream.moved = progress;
      stream.movedAt = now;
    }
    const duration = this.#drainsAt < 0 ? lingerDuration : lingerTimeout;
    return (now - stream.movedAt) * 1000 >= lingerTimeout || (now - stream.lingersSince) * 1000 >= duration;
  }

  /**
   * The stream made no progress for too long, and no output waits for the client. Waiting output
   * has its own timeout.
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
 * The handler waits for the request body. After it has sent a response head, silence is normal: the
 * two sides may exchange messages, as in a tunnel.
 */
const awaitsBody = (stream: Http2Stream): boolean =>
  stream.queue?.isWaiting === true && !stream.isRemoteEnded && !stream.hasHead && !stream.isConversation;
