/** Whether the service can be reached. */
import { signal } from '@preact/signals';

/** Milliseconds between two attempts. */
const RETRY_MS = 2000;
/** Attempts after the browser has lost its network, which takes a moment to close connections. */
const ATTEMPTS = 5;
/** Answers without a session, and without work. */
const ENDPOINT = '/healthz';

export const isOffline = signal(false);

let isWatching = false;

/**
 * After a request without a response, which may also have been cancelled. The browser's own
 * `navigator.onLine` knows nothing of a service on this machine.
 */
export async function checkConnection(attempts = 1): Promise<void> {
  if (isWatching) return;
  isWatching = true;
  for (let left = attempts; left > 0; left--) {
    isOffline.value = await isLost();
    if (isOffline.peek()) left = 2;
    if (left > 1) await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  isWatching = false;
}

const isLost = (): Promise<boolean> =>
  fetch(ENDPOINT, { cache: 'no-store' }).then(
    () => false,
    () => true,
  );

export function followConnection(): void {
  addEventListener('offline', () => checkConnection(ATTEMPTS));
}
