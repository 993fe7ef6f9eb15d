/**
 * Receives changes of other clients in one stream of events for all screens. The stream is open
 * while the page is visible. Events are not stored.
 */
import { effect, signal } from '@preact/signals';
import { actedAccount } from './acting.ts';
import { checkConnection } from './connection.ts';
import { ACCOUNT } from './router.ts';
import { hasEnded, readSession, session } from './session.ts';

const ENDPOINT = '/api/v1/events';
/** Milliseconds before a refused stream is opened again. Doubles after each attempt. */
const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;

/** A change without its values. */
export interface ObjectChange {
  readonly seq: number;
  /** Kind in the API, such as `records`. */
  readonly kind: string;
  /** Id of the object, or of the domain for a part of a domain. */
  readonly id: number | string;
}

/** Null: events were missed, so any object may have changed. */
type ChangeListener = (change: ObjectChange | null) => void;

/** The sequence number of a change whose effects all screens have, or will read. */
let position = 0;
const listeners = new Set<ChangeListener>();
const isVisible = signal(!document.hidden);

/** Returns a function that removes the listener. */
export function listenToChanges(listener: ChangeListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the stream open while a user is signed in and the page is visible. */
export function followChanges(): void {
  document.addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden;
  });
  effect(() => {
    const account = actedAccount.value;
    if (!session.value || hasEnded.value || !isVisible.value) return;
    position = Math.max(position, session.value.seq);
    const connection = new Connection(account);
    return () => connection.close();
  });
}

class Connection {
  #source: EventSource;
  #retryMs = FIRST_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly account: number | null) {
    this.#source = this.#open();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source.close();
  }

  #open(): EventSource {
    const query = new URLSearchParams({ after: String(position) });
    if (this.account !== null) query.set(ACCOUNT, String(this.account));
    const source = new EventSource(`${ENDPOINT}?${query}`);
    source.addEventListener('open', () => {
      this.#retryMs = FIRST_RETRY_MS;
    });
    const follow = (event: string, changeOf: (data: ObjectChange) => ObjectChange | null): void =>
      source.addEventListener(event, ({ data }) => {
        const sent = JSON.parse(data) as ObjectChange;
        position = sent.seq;
        notify(changeOf(sent));
      });
    follow('change', (change) => change);
    follow('reload', () => null);
    source.addEventListener('error', () => {
      void checkConnection();
      // Otherwise the browser reconnects.
      if (source.readyState === EventSource.CLOSED) this.#retryLater();
    });
    return source;
  }

  /** Handles a refused stream: the session has ended, or too many streams are open. */
  #retryLater(): void {
    this.#timer = setTimeout(async () => {
      await readSession();
      // Without a session, this connection has been closed.
      if (session.peek() && !hasEnded.peek()) this.#source = this.#open();
    }, this.#retryMs);
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
  }
}

function notify(change: ObjectChange | null): void {
  for (const listener of listeners) listener(change);
}
