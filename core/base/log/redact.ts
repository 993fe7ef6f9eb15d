/**
 * Fields made safe for the log: plain JSON values of bounded size, with secrets taken out. Whatever a field holds (cycles, getters that
 * throw, proxies), the outcome is a value that JSON.stringify takes.
 */
export type LogValue = string | number | boolean | null | LogValue[] | { [key: string]: LogValue };

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_TEXT = 8192;
const REDACTED = '[redacted]';
/** Compared without case, `_` and `-`; a longer name that ends with one of these is a secret too (`adminPassword`). */
const SECRET = /(password|passwd|token|secret|authorization|privatekey)$/;

export function isSecretField(name: string): boolean {
  return SECRET.test(name.replace(/[_-]/g, '').toLowerCase());
}

export function safeFields(fields: object): { [key: string]: LogValue } {
  try {
    return safeEntries(readersOf(fields), [fields]);
  } catch {
    return { fields: '[unreadable]' };
  }
}

/** `read` gives the value, so that a getter that throws is caught here. Undefined is left out of the log. */
function safeValue(read: () => unknown, above: readonly object[]): LogValue | undefined {
  try {
    const value = read();
    switch (typeof value) {
      case 'undefined':
        return undefined;
      case 'string':
        return cut(value);
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
      case 'symbol':
        return cut(String(value));
      case 'function':
        return '[function]';
      case 'object':
        return value === null ? null : safeObject(value, above);
    }
  } catch {
    return '[unreadable]';
  }
}

function safeObject(value: object, above: readonly object[]): LogValue {
  if (above.includes(value)) return '[circular]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, 64));
    return `${bytes.toString('hex')}${value.byteLength > 64 ? `... (${value.byteLength} bytes)` : ''}`;
  }
  if (above.length >= MAX_DEPTH) return '[deep]';
  const path = [...above, value];
  const inner = (read: () => unknown) => safeValue(read, path) ?? null;
  if (value instanceof Error) return safeError(value, path);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((one) => inner(() => one));
  if (value instanceof Set) return [...value].slice(0, MAX_ITEMS).map((one) => inner(() => one));
  return safeEntries(readersOf(value), path);
}

type Reader = readonly [name: string, read: () => unknown];

function readersOf(value: object): Reader[] {
  if (value instanceof Map) return [...value].slice(0, MAX_ITEMS).map(([key, one]) => [String(key), () => one]);
  return Object.keys(value)
    .slice(0, MAX_ITEMS)
    .map((key) => [key, () => Reflect.get(value, key)]);
}

function safeEntries(entries: readonly Reader[], path: readonly object[]): { [key: string]: LogValue } {
  const out: { [key: string]: LogValue } = {};
  for (const [key, read] of entries) {
    const value = isSecretField(key) ? REDACTED : safeValue(read, path);
    if (value !== undefined) out[key] = value;
  }
  return out;
}

/** Message, code, stack and cause; other own fields of an error may hold whole requests and are left out. */
function safeError(error: Error, path: readonly object[]): LogValue {
  const out: { [key: string]: LogValue } = {};
  for (const key of ['name', 'message', 'code', 'stack', 'cause']) {
    const value = safeValue(() => Reflect.get(error, key), path);
    if (value !== undefined) out[key] = value;
  }
  return out;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}... (${text.length} characters)`;
}
