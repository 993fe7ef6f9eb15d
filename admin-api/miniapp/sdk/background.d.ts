/**
 * Types of the background file of a mini-app (`background.entry` in manifest.json). It runs without
 * a page. Give it a tsconfig.json of its own: pages have another global `Host`.
 *
 * ```js
 * function onBackgroundEvent(event) {
 *   var count = Number(Host.call('storage.get', { key: 'count' }) || 0);
 *   Host.call('storage.set', { key: 'count', value: String(count + 1) });
 * }
 * ```
 */
declare const Host: BackgroundHost;

interface BackgroundHost {
  /**
   * Reads a value of the storage that the pages of the app use as well. `null` if there is none.
   * Permission: `storage` in `background.permissions`.
   */
  call(operation: 'storage.get', params: { readonly key: string }): string | null;
  /**
   * Stores a value: at most 1 KB for the key, 1 MB for the value, 5 MB and 10,000 keys for an app.
   * Permission: `storage` in `background.permissions`.
   */
  call(operation: 'storage.set', params: { readonly key: string; readonly value: string }): null;
}

/** What the system gives to `onBackgroundEvent`, a function that the file defines. */
interface BackgroundEvent {
  /** `schedule`: a task of `Host.background.schedule` is due. */
  readonly type: 'schedule';
  /** Milliseconds since 1970, UTC. */
  readonly timestamp: number;
  /** `id` of manifest.json. */
  readonly appId: string;
}

/** Of `onBackgroundEvent`. */
type BackgroundEventHandler = (event: BackgroundEvent) => unknown;

/** What `Host.call` throws. */
interface BackgroundHostError extends Error {
  readonly name: 'HostError';
  /** Such as `storage.get`. */
  readonly operation: string;
  readonly code: 'permission_denied' | 'invalid_argument' | 'unsupported' | 'timeout' | 'quota_exceeded' | 'busy';
}
