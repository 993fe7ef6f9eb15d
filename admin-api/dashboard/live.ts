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
    const connection = new Connection(account === null ? ENDPOINT : `${ENDPOINT}?${ACCOUNT}=${account}`);
    return () => connection.close();
  });
}

class Connection {
  #source: EventSource;
  #retryMs = FIRST_RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly address: string) {
    this.#source = this.#open();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source.close();
  }

  #open(): EventSource {
    const source = new EventSource(this.address);
    let wasOpen = false;
    source.addEventListener('open', () => {
      this.#retryMs = FIRST_RETRY_MS;
      // Screens loaded their data before the stream opened. A resumed stream misses no events.
      if (!wasOpen) notify(null);
      wasOpen = true;
    });
    source.addEventListener('change', ({ data }) => notify(JSON.parse(data)));
    source.addEventListener('reload', () => notify(null));
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
