/**
 * The HTTP/2 connections to one origin. A lane is created on the first connection with a free
 * stream. If none has one, a new connection is opened, up to a limit.
 */
import type { Attempt, CreateMultiplexer, Multiplexer, MultiplexerOwner, MultiplexerTools } from '../carrier.ts';
import { Dial, type DialOwner } from '../dial.ts';
import type { OriginError } from '../origin.ts';
import type { OriginSocket } from '../sockets.ts';
import { Http2Session, type SessionOwner } from './session.ts';

/** Maximum connections to one origin. */
const MOST_SESSIONS = 16;

export const createMultiplexer: CreateMultiplexer = (owner, tools) => new Sessions(owner, tools);

class Sessions implements Multiplexer, DialOwner, SessionOwner {
  readonly #owner: MultiplexerOwner;
  readonly #tools: MultiplexerTools;
  readonly #sessions = new Set<Http2Session>();
  /** In order of their start. */
  readonly #attempts = new Set<Attempt>();
  #dial: Dial | null = null;

  constructor(owner: MultiplexerOwner, tools: MultiplexerTools) {
    this.#owner = owner;
    this.#tools = tools;
  }

  attempt(): Attempt {
    const attempt: Attempt = {
      start: () => {
        this.#attempts.add(attempt);
        this.#serve();
      },
      abort: () => {
        this.#attempts.delete(attempt);
        if (this.#attempts.size > 0) return;
        this.#dial?.abort();
        this.#dial = null;
      },
    };
    return attempt;
  }

  tick(now: number): void {
    for (const session of this.#sessions) session.tick(now);
  }

  close(): void {
    this.#dial?.abort();
    this.#dial = null;
    for (const session of [...this.#sessions]) session.destroy();
  }

  onDialled(dial: Dial, socket: OriginSocket): void {
    this.#dial = null;
    this.#owner.onConnected(socket.address, dial.resolved);
    const session = new Http2Session(socket, this, this.#owner.limits, this.#tools.clock);
    this.#sessions.add(session);
    socket.start(session);
    this.#serve();
    session.closeIfUnused();
  }

  onDialFailed(_: Dial, error: OriginError): void {
    this.#dial = null;
    const attempts = [...this.#attempts];
    for (const attempt of attempts) if (this.#attempts.delete(attempt)) this.#owner.onAttemptFailed(attempt, error);
  }

  onRoom(): void {
    this.#serve();
  }

  onSessionClosed(session: Http2Session): void {
    this.#sessions.delete(session);
    // Its lanes are closed after this call. Their requests may then be retried.
    queueMicrotask(() => this.#serve());
  }

  #serve(): void {
    for (const attempt of this.#attempts) {
      const session = this.#sessionWithRoom();
      if (session === undefined) break;
      this.#attempts.delete(attempt);
      this.#owner.onCarrier(attempt, session.createLane(this.#owner, this.#owner.limits));
    }
    if (this.#attempts.size === 0 || this.#dial !== null || this.#sessions.size >= MOST_SESSIONS) return;
    this.#dial = new Dial(this.#owner, this.#tools, this);
    this.#dial.start();
  }

  #sessionWithRoom(): Http2Session | undefined {
    for (const session of this.#sessions) if (session.hasRoom) return session;
    return undefined;
  }
}
