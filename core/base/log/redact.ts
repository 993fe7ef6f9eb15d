/**
 * Makes fields safe for the log: plain JSON values of limited size, without secrets. Fields may
 * contain anything (cycles, getters that throw, proxies); the result is always valid for
 * JSON.stringify.
 */
export type LogValue = string | number | boolean | null | LogValue[] | { [key: string]: LogValue };

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_TEXT = 8192;
const REDACTED = '[redacted]';
/**
 * Compared without case, `_` and `-`. A longer name that ends with one of these is also a secret
 * (`adminPassword`).
 */
const SECRET = /(password|passwd|token|secret|authorization|privatekey)$/;

function isSecretField(name: string): boolean {
  return SECRET.test(name.replace(/[_-]/g, '').toLowerCase());
}

export function toSafeFields(fields: object): { [key: string]: LogValue } {
  try {
    return toSafeEntries(readersOf(fields), [fields]);
  } catch {
    return { fields: '[unreadable]' };
  }
}

/**
 * `read` returns the value, so that errors of getters are caught here. Undefined is omitted from
 * the log.
 */
function toSafeValue(read: () => unknown, ancestors: readonly object[]): LogValue | undefined {
  try {
    const value = read();
    switch (typeof value) {
      case 'undefined':
        return undefined;
      case 'string':
        return truncate(value);
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
      case 'symbol':
        return truncate(String(value));
      case 'function':
        return '[function]';
      case 'object':
        return value === null ? null : toSafeObject(value, ancestors);
    }
  } catch {
    return '[unreadable]';
  }
}

function toSafeObject(value: object, ancestors: readonly object[]): LogValue {
  if (ancestors.includes(value)) return '[circular]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, 64));
    return `${bytes.toString('hex')}${value.byteLength > 64 ? `... (${value.byteLength} bytes)` : ''}`;
  }
  if (ancestors.length >= MAX_DEPTH) return '[deep]';
  const path = [...ancestors, value];
  const inner = (read: () => unknown) => toSafeValue(read, path) ?? null;
  if (value instanceof Error) return toSafeError(value, path);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => inner(() => item));
  if (value instanceof Set) return [...value].slice(0, MAX_ITEMS).map((item) => inner(() => item));
  return toSafeEntries(readersOf(value), path);
}

type Reader = readonly [name: string, read: () => unknown];

function readersOf(value: object): Reader[] {
  if (value instanceof Map) return [...value].slice(0, MAX_ITEMS).map(([key, item]) => [String(key), () => item]);
  return Object.keys(value)
    .slice(0, MAX_ITEMS)
    .map((key) => [key, () => Reflect.get(value, key)]);
}

function toSafeEntries(entries: readonly Reader[], path: readonly object[]): { [key: string]: LogValue } {
  const out: { [key: string]: LogValue } = {};
  for (const [key, read] of entries) {
    const value = isSecretField(key) ? REDACTED : toSafeValue(read, path);
    if (value !== undefined) out[key] = value;
  }
  return out;
}

/**
 * Message, code, stack and cause. Other fields of an error may contain whole requests, and are
 * omitted.
 */
function toSafeError(error: Error, path: readonly object[]): LogValue {
  const out: { [key: string]: LogValue } = {};
  for (const key of ['name', 'message', 'code', 'stack', 'cause']) {
    const value = toSafeValue(() => Reflect.get(error, key), path);
    if (value !== undefined) out[key] = value;
  }
  return out;
}

function truncate(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}... (${text.length} characters)`;
}
