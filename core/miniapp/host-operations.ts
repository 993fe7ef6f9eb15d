/** The operations of the global `Host`, which is all of the system that a mini-app's web content may reach. */

export type ArgumentType = 'string' | 'number' | 'object';

export interface HostOperation {
  /** Undefined: anybody may call it. */
  readonly permission: string | undefined;
  readonly required: readonly ArgumentType[];
  readonly optional: readonly ArgumentType[];
  /** As it is written. */
  readonly usage: string;
}

const operation = (
  usage: string,
  permission: string | undefined,
  required: readonly ArgumentType[],
  optional: readonly ArgumentType[] = [],
): HostOperation => ({ permission, required, optional, usage });

export const HOST_OPERATIONS: ReadonlyMap<string, HostOperation> = new Map([
  ['storage.get', operation('Host.storage.get(key)', 'storage', ['string'])],
  ['storage.set', operation('Host.storage.set(key, value)', 'storage', ['string', 'string'])],
  ['ui.toast', operation('Host.ui.toast(text)', undefined, ['string'])],
  ['ui.vibrate', operation('Host.ui.vibrate(ms)', 'vibrate', ['number'])],
  ['camera.takePhoto', operation('Host.camera.takePhoto()', 'camera', [])],
  ['device.info', operation('Host.device.info()', 'device.info', [])],
  ['network.fetch', operation('Host.network.fetch(url, opts)', 'network', ['string'], ['object'])],
  ['background.schedule', operation('Host.background.schedule(taskId, delayMs)', 'background', ['string', 'number'])],
]);

/** `storage` and the other first halves. */
export const HOST_GROUPS: ReadonlySet<string> = new Set([...HOST_OPERATIONS.keys()].map((name) => name.split('.')[0]));
