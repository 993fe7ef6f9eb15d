/** Maps each operation of a host to a call of its service. */
import { HostFault } from '../bridge/errors.ts';
import { type DeviceInfo, LIMITS } from '../bridge/operations.ts';
import {
  type Params,
  readDelay,
  readFetch,
  readKey,
  readTaskId,
  readToast,
  readValue,
  readVibration,
} from './arguments.ts';
import type { Call, Services } from './services.ts';

/** Calls the service and returns the result for the app. */
export type Work = (call: Call) => unknown;

/** Undefined: the host has no such service. */
type Prepare = (services: Services) => ((params: Params) => Work) | undefined;

const PREPARE: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  [
    'storage.get',
    ({ storage }) =>
      storage &&
      ((params) => {
        const key = readKey(params);
        return ({ appId }) => storage.get(appId, key);
      }),
  ],
  [
    'storage.set',
    ({ storage }) =>
      storage &&
      ((params) => {
        const key = readKey(params);
        const value = readValue(params);
        return ({ appId }) => withoutResult(storage.set(appId, key, value));
      }),
  ],
  [
    'ui.toast',
    (services) =>
      services.toast &&
      ((params) => {
        const text = readToast(params);
        return (call) => withoutResult(services.toast?.(call, text));
      }),
  ],
  [
    'ui.vibrate',
    (services) =>
      services.vibrate &&
      ((params) => {
        const ms = readVibration(params);
        return (call) => withoutResult(services.vibrate?.(call, ms));
      }),
  ],
  [
    'camera.takePhoto',
    (services) => services.takePhoto && (() => async (call) => checkPhoto(await services.takePhoto?.(call))),
  ],
  [
    'device.info',
    (services) => services.deviceInfo && (() => async (call) => checkDevice(await services.deviceInfo?.(call))),
  ],
  [
    'network.fetch',
    (services) =>
      services.fetch &&
      ((params) => {
        const request = readFetch(params);
        return (call) => services.fetch?.(call, request);
      }),
  ],
  [
    'background.schedule',
    (services) =>
      services.schedule &&
      ((params) => {
        const taskId = readTaskId(params);
        const delayMs = readDelay(params);
        return (call) => withoutResult(services.schedule?.(call, taskId, delayMs));
      }),
  ],
]);

/** Names of the operations that these services support. */
export const operationsOf = (services: Services): string[] =>
  [...PREPARE].filter(([, prepare]) => prepare(services) !== undefined).map(([name]) => name);

/**
 * Checks the arguments. Throws HostFault `unsupported` and `invalid_argument`. Calls `isAllowed`
 * before it reads them: an app without the permission gets no errors about its arguments.
 */
export function prepareWork(services: Services, operation: string, params: Params, isAllowed: () => void): Work {
  const read = PREPARE.get(operation)?.(services);
  if (read === undefined) throw new HostFault('unsupported', 'This host does not have the operation.');
  isAllowed();
  return read(params);
}

async function withoutResult(done: void | Promise<void>): Promise<null> {
  await done;
  return null;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const LONGEST_PHOTO = 4 * Math.ceil(LIMITS.photo / 3);

function checkPhoto(photo: string | undefined): string {
  if (typeof photo !== 'string' || photo === '' || photo.length % 4 !== 0 || !BASE64.test(photo))
    throw new TypeError('The photo is not Base64.');
  if (photo.length > LONGEST_PHOTO) throw new RangeError(`The photo is larger than ${LIMITS.photo} bytes.`);
  return photo;
}

const isPercentage = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 100;

/** Copies only the documented fields. */
function checkDevice(info: DeviceInfo | undefined): DeviceInfo {
  const { model, osVersion, batteryLevel } = info ?? {};
  if (typeof model !== 'string' || typeof osVersion !== 'string' || !isPercentage(batteryLevel))
    throw new TypeError('The information about the device is incomplete.');
  return { model, osVersion, batteryLevel };
}
