/**
 * The operations of a host. Pages call them as methods of the global `Host`, background files by
 * `Host.call`. The audit, the SDK, the simulator and the runtime all use this table.
 */

export type ArgumentType = 'string' | 'number' | 'object';

interface Parameter {
  readonly name: string;
  readonly type: ArgumentType;
  readonly isOptional: boolean;
}

interface Operation {
  /** Undefined: no permission is needed. */
  readonly permission: string | undefined;
  /** In the order of the arguments of the method of `Host`. */
  readonly params: readonly Parameter[];
  /** Whether background files can call it with `Host.call`. */
  readonly isInBackground: boolean;
  /** The call as written in a page. */
  readonly usage: string;
}

const required = (name: string, type: ArgumentType): Parameter => ({ name, type, isOptional: false });
const optional = (name: string, type: ArgumentType): Parameter => ({ name, type, isOptional: true });

function operation(
  name: string,
  permission: string | undefined,
  params: readonly Parameter[],
  isInBackground = false,
): [string, Operation] {
  const usage = `Host.${name}(${params.map((param) => param.name).join(', ')})`;
  return [name, { permission, params, isInBackground, usage }];
}

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  operation('storage.get', 'storage', [required('key', 'string')], true),
  operation('storage.set', 'storage', [required('key', 'string'), required('value', 'string')], true),
  operation('ui.toast', undefined, [required('text', 'string')]),
  operation('ui.vibrate', 'vibrate', [required('ms', 'number')]),
  operation('camera.takePhoto', 'camera', []),
  operation('device.info', 'device.info', []),
  operation('network.fetch', 'network', [required('url', 'string'), optional('opts', 'object')]),
  operation('background.schedule', 'background', [required('taskId', 'string'), required('delayMs', 'number')]),
]);

/** The first parts of operation names, such as `storage`. */
export const OPERATION_GROUPS: ReadonlySet<string> = new Set([...OPERATIONS.keys()].map((name) => name.split('.')[0]));

/** Methods of `network.fetch`, which only retrieves data. */
export const FETCH_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const KB = 1024;
const MB = 1024 * KB;
const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;

/**
 * Limits of the operations. Text sizes are in bytes of UTF-8, durations in milliseconds. Exceeding
 * a limit fails with `invalid_argument` for arguments, `quota_exceeded` for storage, and `busy` for
 * requests.
 */
export const LIMITS = {
  storageKey: KB,
  storageValue: MB,
  /** Of all keys and values of an app. */
  storageTotal: 5 * MB,
  storageKeys: 10_000,
  toastText: KB,
  vibration: 5 * SECOND,
  photo: 8 * MB,
  fetchUrl: 8 * KB,
  /** Bytes of the decoded body. */
  fetchBody: 5 * MB,
  fetchTime: 30 * SECOND,
  fetchRedirects: 5,
  taskId: 64,
  /** Shorter delays are raised to this minimum. */
  delayMin: SECOND,
  delayMax: 30 * DAY,
  /** Maximum number of scheduled tasks of an app. */
  tasks: 100,
  /** A message of the bridge in either direction, in UTF-16 units. */
  message: 12 * MB,
  /** Pending requests of a page. */
  pending: 64,
  /** Rate limit on the requests of a page, and its burst. */
  requestsPerSecond: 100,
  requestBurst: 200,
} as const;

/** The result of `device.info`. */
export interface DeviceInfo {
  readonly model: string;
  readonly osVersion: string;
  /** Percent, 0 to 100. */
  readonly batteryLevel: number;
}

/** The result of `network.fetch`. */
export interface FetchResult {
  /** True for 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  /** Of the last response, after redirects. */
  readonly url: string;
  /** Names are in lower case; several values of a name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or Base64 if the body is not UTF-8. */
  readonly body: string;
  readonly encoding: 'utf-8' | 'base64';
}
