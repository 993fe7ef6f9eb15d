/** Arguments of operations, as an app sent them. Readers throw HostFault `invalid_argument`. */
import { HostFault } from '../bridge/errors.ts';
import { FETCH_METHODS, LIMITS } from '../bridge/operations.ts';
import type { FetchRequest } from './services.ts';

export type Params = Readonly<Record<string, unknown>>;

const invalid = (message: string): HostFault => new HostFault('invalid_argument', message);

const ownValue = (params: Params, name: string): unknown => (Object.hasOwn(params, name) ? params[name] : undefined);

/**
 * A text without lone surrogates: these have no UTF-8, and not every host can read them.
 */
function readText(params: Params, name: string): string {
  const value = ownValue(params, name);
  if (typeof value !== 'string') throw invalid(`"${name}" is not a text.`);
  if (!value.isWellFormed()) throw invalid(`"${name}" has half of a surrogate pair.`);
  return value;
}

function readInteger(params: Params, name: string, min: number, max: number): number {
  const value = ownValue(params, name);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw invalid(`"${name}" is not an integer from ${min} to ${max}.`);
  return value;
}

export function readKey(params: Params): string {
  const key = readText(params, 'key');
  if (Buffer.byteLength(key) > LIMITS.storageKey) throw invalid(`"key" is longer than ${LIMITS.storageKey} bytes.`);
  return key;
}

export function readValue(params: Params): string {
  const value = readText(params, 'value');
  if (Buffer.byteLength(value) > LIMITS.storageValue)
    throw new HostFault('quota_exceeded', `"value" is longer than ${LIMITS.storageValue} bytes.`);
  return value;
}

export function readToast(params: Params): string {
  const text = readText(params, 'text');
  if (text === '') throw invalid('"text" is empty.');
  if (Buffer.byteLength(text) > LIMITS.toastText) throw invalid(`"text" is longer than ${LIMITS.toastText} bytes.`);
  return text;
}

export const readVibration = (params: Params): number => readInteger(params, 'ms', 1, LIMITS.vibration);

export function readTaskId(params: Params): string {
  const taskId = readText(params, 'taskId');
  if (taskId === '' || taskId.length > LIMITS.taskId)
    throw invalid(`"taskId" is not a text of 1 to ${LIMITS.taskId} characters.`);
  return taskId;
}

/** At least LIMITS.delayMin. */
export const readDelay = (params: Params): number =>
  Math.max(LIMITS.delayMin, readInteger(params, 'delayMs', 0, LIMITS.delayMax));

export function readFetch(params: Params): FetchRequest {
  const text = readText(params, 'url');
  if (Buffer.byteLength(text) > LIMITS.fetchUrl) throw invalid(`"url" is longer than ${LIMITS.fetchUrl} bytes.`);
  if (!URL.canParse(text)) throw invalid('"url" is not an absolute URL.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid('"url" is not a URL of http or https.');
  if (url.username !== '' || url.password !== '') throw invalid('"url" has credentials.');
  return { url: url.href, method: readMethod(ownValue(params, 'opts')) };
}

function readMethod(opts: unknown): FetchRequest['method'] {
  if (opts === undefined) return 'GET';
  if (typeof opts !== 'object' || opts === null || Array.isArray(opts)) throw invalid('"opts" is not an object.');
  const method = ownValue(opts as Params, 'method');
  if (method === undefined) return 'GET';
  const upper = typeof method === 'string' ? method.toUpperCase() : '';
  if (!FETCH_METHODS.has(upper)) throw invalid(`"method" is not ${[...FETCH_METHODS].join(' or ')}.`);
  return upper as FetchRequest['method'];
}
