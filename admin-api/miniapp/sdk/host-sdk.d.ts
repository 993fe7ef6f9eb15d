/**
 * Types of host-sdk.js 1.0.0: the global `Host` of the pages of a mini-app.
 *
 * Every operation is asynchronous. Its promise is rejected with a `HostError`, whose `code` says
 * why:
 *
 * ```js
 * try {
 *   const photo = await Host.camera.takePhoto();
 * } catch (error) {
 *   if (error.code === 'cancelled') return;
 *   await Host.ui.toast('No photo: ' + error.message);
 * }
 * ```
 *
 * Any operation may fail with:
 * - `unsupported`: the host does not have it, or there is no host (the page is a plain file),
 * - `busy`: more than 64 calls wait for a response, or more than 100 were made in a second,
 * - `timeout`: the host did not respond in time,
 * - `cancelled`: the page was left before the host responded.
 *
 * An operation with a permission fails with `permission_denied` if `permissions` of manifest.json
 * does not list it, or if the user denies it. Sizes are bytes of UTF-8; 1 KB is 1,024 bytes.
 */
declare const Host: Host;

/** The platform, as the pages of a mini-app see it. Nothing of it can be changed. */
interface Host {
  readonly storage: HostStorage;
  readonly ui: HostUi;
  readonly camera: HostCamera;
  readonly device: HostDevice;
  readonly network: HostNetwork;
  readonly background: HostBackground;
}

/** Text values that only this app can read. Permission: `storage`. */
interface HostStorage {
  /**
   * Reads a value. `null` if there is none.
   *
   * Errors: `invalid_argument` (the key is no text, or above 1 KB).
   *
   * ```js
   * const notes = JSON.parse((await Host.storage.get('notes')) ?? '[]');
   * ```
   */
  get(key: string): Promise<string | null>;
  /**
   * Stores a value. It is on disk when the promise is fulfilled.
   *
   * Limits: a key has at most 1 KB, a value 1 MB, an app 5 MB and 10,000 keys.
   *
   * Errors: `invalid_argument` (the key or the value is no text, the key is above its limit),
   * `quota_exceeded` (the value or the storage is above its limit).
   *
   * ```js
   * await Host.storage.set('notes', JSON.stringify(notes));
   * ```
   */
  set(key: string, value: string): Promise<null>;
}

interface HostUi {
  /**
   * Shows a short message of the system. No permission.
   *
   * Errors: `invalid_argument` (the text is empty, or above 1 KB).
   *
   * ```js
   * await Host.ui.toast('Saved');
   * ```
   */
  toast(text: string): Promise<null>;
  /**
   * Starts the vibration motor, for 1 to 5,000 milliseconds. Permission: `vibrate`. The promise is
   * fulfilled when the motor has started.
   *
   * Errors: `invalid_argument` (no integer, or out of range), `unsupported` (no motor).
   *
   * ```js
   * await Host.ui.vibrate(200);
   * ```
   */
  vibrate(ms: number): Promise<null>;
}

interface HostCamera {
  /**
   * Opens the camera of the system. The result is a JPEG as Base64, of at most 8 MB before Base64.
   * Permission: `camera`, which the user is asked for.
   *
   * Errors: `cancelled` (the user left the camera without a photo), `busy` (the camera is in use),
   * `unsupported` (no camera).
   *
   * ```js
   * image.src = 'data:image/jpeg;base64,' + (await Host.camera.takePhoto());
   * ```
   */
  takePhoto(): Promise<string>;
}

interface HostDevice {
  /**
   * Describes the device. Permission: `device.info`, which the user is asked for.
   *
   * ```js
   * const { batteryLevel } = await Host.device.info();
   * ```
   */
  info(): Promise<HostDeviceInfo>;
}

interface HostDeviceInfo {
  readonly model: string;
  readonly osVersion: string;
  /** Percent, 0 to 100. */
  readonly batteryLevel: number;
}

interface HostNetwork {
  /**
   * Retrieves data by HTTP, without cookies, credentials and a body. Permission: `network`, which
   * the user is asked for.
   *
   * Every status is a result: look at `ok`. Redirects are followed, at most 5.
   *
   * Limits: http and https, public addresses only. A URL has at most 8 KB, a response 5 MB and 30
   * seconds.
   *
   * Errors: `invalid_argument` (no URL, another method), `network_error` (no response, an address
   * that is not public, a response that is too large), `timeout`.
   *
   * ```js
   * const response = await Host.network.fetch('https://api.example.com/weather');
   * if (response.ok) show(JSON.parse(response.body));
   * ```
   */
  fetch(url: string, opts?: HostFetchOptions): Promise<HostFetchResult>;
}

interface HostFetchOptions {
  /** `GET` without it. */
  readonly method?: 'GET' | 'HEAD';
}

interface HostFetchResult {
  /** True for a status of 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  /** Of the last response, after redirects. */
  readonly url: string;
  /** Names are in lower case. Several values of a name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or Base64 for what is not UTF-8. */
  readonly body: string;
  readonly encoding: 'utf-8' | 'base64';
}

interface HostBackground {
  /**
   * Runs the background file of the app after a delay. Permission: `background`, which the user is
   * asked for. The same `taskId` replaces the task. The system may run it later, and not earlier.
   *
   * Limits: `taskId` has 1 to 64 characters, `delayMs` is an integer from 0 to 30 days (less than a
   * second is a second), an app has at most 100 tasks.
   *
   * Errors: `invalid_argument`, `quota_exceeded` (too many tasks).
   *
   * ```js
   * await Host.background.schedule('remind', 15 * 60 * 1000);
   * ```
   */
  schedule(taskId: string, delayMs: number): Promise<null>;
}

/**
 * Why an operation failed.
 * - `permission_denied`: not in manifest.json, or denied by the user
 * - `invalid_argument`: an argument is missing, of another type, or past a limit
 * - `unsupported`: the host has no such operation or device, or there is no host
 * - `cancelled`: the user went back, or the page was left
 * - `timeout`: a deadline of the host has passed
 * - `quota_exceeded`: storage or tasks are at their limit
 * - `network_error`: no response
 * - `busy`: too many calls, or the device is in use; retry later
 */
type HostErrorCode =
  | 'permission_denied'
  | 'invalid_argument'
  | 'unsupported'
  | 'cancelled'
  | 'timeout'
  | 'quota_exceeded'
  | 'network_error'
  | 'busy';

/**
 * What promises of `Host` are rejected with. There is no global class of this name: look at `code`.
 *
 * ```ts
 * const { code } = error as HostError;
 * ```
 */
interface HostError extends Error {
  readonly name: 'HostError';
  readonly code: HostErrorCode;
  /** For developers, in English. */
  readonly message: string;
  /** Such as `storage.get`. */
  readonly operation: string;
}
