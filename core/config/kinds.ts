/**
 * The kinds of values that a setting can have. A kind reads a value from TOML or from an
 * environment variable, and describes the expected value in words.
 */
import { InvalidError } from '../base/errors.ts';
import { formatHost, labelCount, parseName } from '../dns/wire/name.ts';
import { addressAdvice, formatIPv4, formatIPv6, readIPv4, readIPv6 } from '../dns/wire/rdata/index.ts';
import { formatListen, type ListenAddress, parseListen } from './listen.ts';

export interface Kind<T> {
  /** Completes the sentence "expected …". */
  readonly expected: string;
  /** Converts a value that smol-toml has parsed; undefined when it is not of this kind. */
  fromToml(value: unknown): T | undefined;
  /** Converts the text of an environment variable; undefined when it is not of this kind. */
  fromText(text: string): T | undefined;
  /** Writes the value as TOML. */
  toToml(value: T): string;
}

/** A kind that is text in TOML too. */
export function textual<T>(
  expected: string,
  parse: (text: string) => T | undefined,
  format: (value: T) => string,
): Kind<T> {
  return {
    expected,
    fromToml: (value) => (typeof value === 'string' ? parse(value) : undefined),
    fromText: parse,
    toToml: (value) => JSON.stringify(format(value)),
  };
}

/** Text without control characters, not empty. */
export function text(expected: string): Kind<string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects them
  return textual(expected, (value) => (/^[^\x00-\x1f\x7f]{1,4096}$/.test(value) ? value : undefined), String);
}

/** Text of at most `bytes` bytes in UTF-8 without control characters; empty for nothing. */
export function shortText(max: number): Kind<string> {
  return textual(
    `text of at most ${max} bytes without control characters, empty for nothing`,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects them
    (value) => (/^[^\x00-\x1f\x7f]*$/.test(value) && Buffer.byteLength(value) <= max ? value : undefined),
    String,
  );
}

/** A fixed number of bytes as hexadecimal digits; the value is in lower case. */
export function hexadecimal(length: number): Kind<string> {
  return textual(
    `${length * 2} hexadecimal digits`,
    (value) =>
      /^[0-9a-f]*$/i.test(value.trim()) && value.trim().length === length * 2 ? value.trim().toLowerCase() : undefined,
    String,
  );
}

export function choice<const T extends string>(...choices: readonly T[]): Kind<T> {
  const expected = `one of ${choices.map((value) => JSON.stringify(value)).join(', ')}`;
  return textual(expected, (value) => choices.find((candidate) => candidate === value), String);
}

export const flag: Kind<boolean> = {
  expected: 'true or false',
  fromToml: (value) => (typeof value === 'boolean' ? value : undefined),
  fromText: (value) => (/^(true|false)$/.test(value.trim()) ? value.trim() === 'true' : undefined),
  toToml: String,
};

export function integer(min: number, max: number, unit = ''): Kind<number> {
  const within = (n: number) => (Number.isSafeInteger(n) && n >= min && n <= max ? n : undefined);
  return {
    expected: `a whole number${unit && ` of ${unit}`} from ${min} to ${max}`,
    fromToml: (value) => (typeof value === 'number' ? within(value) : undefined),
    fromText: (value) => (/^\d{1,16}$/.test(value.trim()) ? within(Number(value)) : undefined),
    toToml: String,
  };
}

/** A ratio, such as `0.01`. */
export const fraction: Kind<number> = {
  expected: 'a number from 0 to 1',
  fromToml: (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined),
  fromText: (value) => {
    if (!/^(?:\d|\d?\.\d{1,16})$/.test(value.trim())) return undefined;
    return Number(value) <= 1 ? Number(value) : undefined;
  },
  toToml: String,
};

export const KB = 1024;
export const MB = 1024 * KB;
export const GB = 1024 * MB;
const UNITS = ['B', 'KB', 'MB', 'GB'];

/** A size in bytes, as a number or with a unit: `512MB`. Units are powers of 1024. */
export function bytes(min: number, max: number): Kind<number> {
  const within = (n: number) => (Number.isSafeInteger(n) && n >= min && n <= max ? n : undefined);
  const fromText = (value: string) => {
    const match = /^(\d{1,15}(?:\.\d{1,3})?)\s*(?:([KMG])i?)?B?$/i.exec(value.trim());
    if (match === null) return undefined;
    return within(Math.round(Number(match[1]) * 1024 ** ' KMG'.indexOf((match[2] ?? ' ').toUpperCase())));
  };
  return {
    expected: `a number of bytes or a size such as "512MB", from ${formatBytes(min)} to ${formatBytes(max)}`,
    fromToml: (value) =>
      typeof value === 'number' ? within(value) : typeof value === 'string' ? fromText(value) : undefined,
    fromText,
    toToml: (value) => (value % 1024 === 0 ? JSON.stringify(formatBytes(value)) : String(value)),
  };
}

/** `64MB` for 67108864: the largest unit that divides the number. */
export function formatBytes(value: number): string {
  let unit = 0;
  let rest = value;
  while (unit < 3 && rest > 0 && rest % 1024 === 0) {
    rest /= 1024;
    unit++;
  }
  return `${rest}${UNITS[unit]}`;
}

export const listen: Kind<ListenAddress> = textual(
  'one address and port, such as "127.0.0.1:8300" or "[::1]:8300"',
  (value) => {
    const found = parseListen(value);
    return found?.length === 1 ? found[0] : undefined;
  },
  formatListen,
);

/**
 * A list: an array of strings in TOML, separated by commas in the environment. It must not be empty
 * or contain duplicates.
 */
export function list<T>(
  expected: string,
  parse: (text: string) => T[] | undefined,
  format: (value: T) => string,
): Kind<readonly T[]> {
  const fromTexts = (texts: readonly string[]) => {
    const values: T[] = [];
    for (const item of texts) {
      const parsed = parse(item.trim());
      if (parsed === undefined) return undefined;
      values.push(...parsed);
    }
    const distinct = new Set(values.map(format)).size === values.length;
    return values.length > 0 && values.length <= 64 && distinct ? values : undefined;
  };
  const fromText = (value: string) => fromTexts(value.split(','));
  return {
    expected,
    fromToml: (value) => {
      if (typeof value === 'string') return fromText(value);
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? fromTexts(value) : undefined;
    },
    fromText,
    toToml: (values) => `[${values.map((item) => JSON.stringify(format(item))).join(', ')}]`,
  };
}

/** A list that may be empty. */
export function optionalList<T>(...parts: Parameters<typeof list<T>>): Kind<readonly T[]> {
  const filled = list(...parts);
  return {
    ...filled,
    fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : filled.fromToml(value)),
    fromText: (value) => (value.trim() === '' ? [] : filled.fromText(value)),
  };
}

export const listenList: Kind<readonly ListenAddress[]> = list(
  'a list of addresses with ports, without duplicates, such as "192.0.2.1:53", "[2001:db8::1]:53" or "*:53" for every address',
  parseListen,
  formatListen,
);

/** A listenList that may be empty. */
export const optionalListenList: Kind<readonly ListenAddress[]> = {
  ...listenList,
  expected: `${listenList.expected}; empty for none`,
  fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : listenList.fromToml(value)),
};

/** Addresses in their canonical form (RFC 5952). */
const addressList = (
  expected: string,
  length: number,
  read: (bytes: Uint8Array, start: number, end: number, out: Uint8Array) => boolean,
  format: (bytes: Uint8Array) => string,
): Kind<readonly string[]> =>
  optionalList(
    expected,
    (value) => {
      const address = new Uint8Array(length);
      if (addressAdvice(value) !== undefined) return undefined;
      return read(Buffer.from(value, 'latin1'), 0, value.length, address) ? [format(address)] : undefined;
    },
    String,
  );

export const ipv4List = addressList(
  'a list of IPv4 addresses, without duplicates, such as "192.0.2.80"; empty for none',
  4,
  readIPv4,
  formatIPv4,
);
export const ipv6List = addressList(
  'a list of IPv6 addresses, without duplicates, such as "2001:db8::80"; empty for none',
  16,
  readIPv6,
  formatIPv6,
);

/**
 * Letters, digits and inner hyphens (RFC 952, RFC 1123 2.1), two labels or more. The result is in
 * lower case, without the final dot.
 */
function parseHostName(value: string): string | undefined {
  const name = parseLabels(value);
  return name?.includes('.') ? name : undefined;
}

function parseLabels(value: string): string | undefined {
  const name = value.replace(/\.$/, '').toLowerCase();
  if (name.length > 253) return undefined;
  return name.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) ? name : undefined;
}

const namesParsedBy = (parse: typeof parseHostName, example: string): Kind<readonly string[]> =>
  list(
    `a list of host names, without duplicates, such as "${example}"`,
    (value) => {
      const name = parse(value);
      return name === undefined ? undefined : [name];
    },
    String,
  );

export const hostNames = namesParsedBy(parseHostName, 'ns1.example.net');

/** Like `hostNames`, but also accepts names of one label, which container networks use. */
export const anyHostNames = namesParsedBy(parseLabels, 'api.example.net');

/**
 * An SOA RNAME: a mailbox, as `hostmaster@example.net` or as a domain name, where a dot of the
 * local part is escaped as `\.` (RFC 1035 3.3.13 and 8). The value is an absolute domain name
 * without the final dot.
 */
export const mailbox: Kind<string> = textual(
  'a mailbox, such as "hostmaster@example.net" or "hostmaster.example.net"',
  (value) => {
    const at = value.lastIndexOf('@');
    const name = at < 1 ? value : `${value.slice(0, at).replace(/[.\\]/g, '\\$&')}.${value.slice(at + 1)}`;
    try {
      const wire = parseName(name);
      return at !== 0 && labelCount(wire) > 1 ? formatHost(wire) : undefined;
    } catch (error) {
      if (error instanceof InvalidError) return undefined;
      throw error;
    }
  },
  String,
);
