/**
 * The parameters of SVCB and HTTPS that we know (IANA "DNS Service Bindings" of 2026-06-25), and
 * `keyN` for the rest: each one's value in its presentation form, wire form and structured form.
 */

import { InvalidError } from '../../../base/errors.ts';
import { latin1 } from '../latin1.ts';
import { formatIPv4, formatIPv6, readIPv4, readIPv6 } from './address.ts';
import { AUTO_HINT, isAutoHint } from './auto-hints.ts';
import { formatHex, parseBase64, quote, utf8 } from './kinds.ts';
import type { WireReader } from './wire-reader.ts';

interface SvcParam {
  readonly name: string;
  /** A right value, shown in messages. */
  readonly rule: string;
  /** The wire form of a value whose escapes are resolved; undefined when it is none. */
  parse(value: Uint8Array): Uint8Array | undefined;
  /**
   * The presentation form of a value, which takes the whole of `input`; empty: without a value.
   * Throws InvalidError.
   */
  format(input: WireReader): string;
  /** A JSON value. `input` has been formatted without fault. */
  take(input: WireReader): unknown;
}

function list<T>(input: WireReader, item: () => T): T[] {
  if (input.left === 0) input.fail('a list is empty');
  const values: T[] = [];
  while (input.left > 0) values.push(item());
  return values;
}

/**
 * Appendix A.1: items between commas, in which a backslash stands before a comma or a backslash.
 */
function parseItems(value: Uint8Array): Uint8Array | undefined {
  const out: number[] = [0];
  let length = 0;
  for (let i = 0; i <= value.length; i++) {
    if (i === value.length || value[i] === 0x2c) {
      if (out[length] === 0) return undefined;
      if (i === value.length) break;
      length = out.push(0) - 1;
      continue;
    }
    if (value[i] === 0x5c && value[++i] !== 0x2c && value[i] !== 0x5c) return undefined;
    out.push(value[i]);
    if (++out[length] > 255) return undefined;
  }
  return Uint8Array.from(out);
}

const alpn: SvcParam = {
  name: 'alpn',
  rule: 'must be protocols of 1 to 255 bytes, separated by commas, such as alpn="h2,h3"',
  parse: parseItems,
  format: (input) =>
    quote(
      Buffer.from(
        items(input)
          .map((item) => latin1(item).replace(/[,\\]/g, '\\$&'))
          .join(','),
        'latin1',
      ),
    ),
  take: (input) => items(input).map(utf8),
};

function items(input: WireReader): Uint8Array[] {
  return list(input, () => {
    const length = input.u8();
    if (length === 0) input.fail('an item of a list is empty');
    return input.take(length);
  });
}

/**
 * RFC 9953 section 3: the segments of a path, in the form of alpn. Without a value, the path is the
 * root.
 */
const docpath: SvcParam = {
  ...alpn,
  name: 'docpath',
  rule: 'must be segments of 1 to 255 bytes, separated by commas, such as docpath=dns,query, or have no value',
  parse: (value) => (value.length === 0 ? value : parseItems(value)),
  format: (input) => (input.left === 0 ? '' : alpn.format(input)),
  take: (input) => (input.left === 0 ? [] : alpn.take(input)),
};

/** draft-ietf-tls-key-share-prediction-01 section 3.1: numbers of TLS groups, in order. */
const tlsSupportedGroups: SvcParam = {
  name: 'tls-supported-groups',
  rule: 'must be numbers of TLS groups without duplicates, separated by commas, such as tls-supported-groups=29,23',
  parse(value) {
    const texts = latin1(value).split(',');
    const groups = texts.map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : 0x10000));
    if (new Set(groups).size < groups.length || groups.some((group) => group > 0xffff)) return undefined;
    return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
  },
  format: (input) => groupsOf(input).join(','),
  take: groupsOf,
};

function groupsOf(input: WireReader): number[] {
  const groups = list(input, () => input.u16());
  if (new Set(groups).size < groups.length) input.fail('a TLS group is a duplicate');
  return groups;
}

/**
 * draft-johani-dnsop-svcb-oots-00 section 2: protocols, with the share of queries in percent that a
 * nameserver can answer over each.
 */
const oots: SvcParam = {
  name: 'oots',
  rule: 'must be protocols with 0 to 100 percent, separated by commas, such as oots="do53:100,dot:10"',
  parse(value) {
    const out: number[] = [];
    const protocols = new Set<string>();
    for (const text of latin1(value).split(',')) {
      const [, protocol = '', percent = ''] = /^([^:]{1,255}):(\d{1,3})$/.exec(text) ?? [];
      if (protocol === '' || Number(percent) > 100 || protocols.has(protocol)) return undefined;
      protocols.add(protocol);
      out.push(protocol.length, ...Buffer.from(protocol, 'latin1'), Number(percent));
    }
    return Uint8Array.from(out);
  },
  format: (input) => quote(Buffer.from(transportsOf(input).join(','), 'latin1')),
  take: transportsOf,
};

function transportsOf(input: WireReader): string[] {
  const protocols = new Set<string>();
  return list(input, () => {
    const protocol = latin1(input.take(input.u8()));
    const percent = input.u8();
    if (!/^[^:,]+$/.test(protocol) || protocols.has(protocol) || percent > 100)
      input.fail('a protocol is a duplicate, or no protocol, or has more than 100 percent');
    protocols.add(protocol);
    return `${protocol}:${percent}`;
  });
}

/** A parameter that is there or not: its value is empty. */
const flag = (name: string): SvcParam => ({
  name,
  rule: 'must not have a value',
  parse: (value) => (value.length === 0 ? value : undefined),
  format(input) {
    if (input.left > 0) input.fail(`${name} must not have a value`);
    return '';
  },
  take: () => true,
});

const hint = (
  name: string,
  rule: string,
  size: number,
  read: (bytes: Uint8Array, start: number, end: number, out: Uint8Array) => boolean,
  format: (bytes: Uint8Array) => string,
): SvcParam => {
  const addresses = (input: WireReader): string[] => list(input, () => format(input.take(size)));
  return {
    name,
    rule,
    parse(value) {
      const content = latin1(value);
      if (content === AUTO) return AUTO_HINT;
      const out: number[] = [];
      for (const text of content.split(',')) {
        const address = new Uint8Array(size);
        if (!read(Buffer.from(text, 'latin1'), 0, text.length, address)) return undefined;
        out.push(...address);
      }
      return Uint8Array.from(out);
    },
    format: (input) => (takeAuto(input) ? AUTO : addresses(input).join(',')),
    take: (input) => (takeAuto(input) ? AUTO : addresses(input)),
  };
};

/** The addresses of the target: see auto-hints.ts. PowerDNS has the same word. */
const AUTO = 'auto';

/** Reads the value of an automatic hint. False: the value is a list, which is not read. */
function takeAuto(input: WireReader): boolean {
  const isAuto = isAutoHint(input.again().rest());
  if (isAuto) input.rest();
  return isAuto;
}

const port: SvcParam = {
  name: 'port',
  rule: 'must be a whole number from 0 to 65535, such as port=8443',
  parse(value) {
    const text = latin1(value);
    const number = /^\d{1,5}$/.test(text) ? Number(text) : 0x10000;
    return number <= 0xffff ? Uint8Array.of(number >> 8, number & 255) : undefined;
  },
  format(input) {
    if (input.left !== 2) input.fail('the port does not have 2 bytes');
    return String(input.u16());
  },
  take: (input) => input.u16(),
};

/** RFC 9848: an ECHConfigList in Base64. */
const ech: SvcParam = {
  name: 'ech',
  rule: 'must be Base64, such as ech=AEj+DQBE',
  // BIND and NSD read it without a value, which is a doubt.
  parse: (value) => parseBase64(latin1(value)),
  format: base64,
  take: base64,
};

function base64(input: WireReader): string {
  if (input.left === 0) input.fail('ech is empty');
  return Buffer.from(input.rest()).toString('base64');
}

/** RFC 9461 section 5: a template of a path, with the variable `dns` in it (RFC 6570). */
const DOHPATH = /^\/[^\0- \x7f]*$/;
const DNS_VARIABLE = /\{[+#./;?&]?(?:[\w.%]+[*]?,)*dns[*]?[,}]/;

function isDohPath(bytes: Uint8Array): boolean {
  const text = utf8(bytes);
  return DOHPATH.test(text) && DNS_VARIABLE.test(text) && Buffer.from(text, 'utf8').equals(bytes);
}

function readDohPath(input: WireReader): Uint8Array {
  const bytes = input.rest();
  if (!isDohPath(bytes)) input.fail('dohpath is not a path with the variable dns');
  return bytes;
}

const dohpath: SvcParam = {
  name: 'dohpath',
  rule: 'must be a path with the variable dns, such as dohpath="/dns-query{?dns}"',
  parse: (value) => (isDohPath(value) ? value : undefined),
  format: (input) => quote(readDohPath(input)),
  take: (input) => utf8(readDohPath(input)),
};

const keyName = (key: number, isPortable = false): string => svcParam(key, isPortable).name;

/**
 * The number of a name or of `keyN`; undefined when it is neither. As others, reads leading zeros.
 */
export function parseKey(text: string): number | undefined {
  const digits = /^key(\d{1,5})$/.exec(text)?.[1];
  if (digits === undefined) return BY_NAME.get(text);
  return Number(digits) <= INVALID_KEY ? Number(digits) : undefined;
}

const readKeys = (input: WireReader): number[] => list(input, () => input.u16());

const MANDATORY = 0;
const ALPN = 1;
const NO_DEFAULT_ALPN = 2;
/** Reserved as the invalid key (RFC 9460 14.3.2). Other servers load it. */
const INVALID_KEY = 0xffff;

/** Section 8. Whether the keys are there is seen with the whole record. */
const mandatory: SvcParam = {
  name: 'mandatory',
  rule: 'must be names of other parameters, without duplicates, separated by commas, such as mandatory=alpn,ipv4hint',
  parse(value) {
    const keys = latin1(value).split(',').map(parseKey);
    if (new Set(keys).size < keys.length || keys.includes(undefined) || keys.includes(MANDATORY)) return undefined;
    const sorted = keys.map((key) => key ?? MANDATORY).sort((a, b) => a - b);
    return Uint8Array.from(sorted.flatMap((key) => [key >> 8, key & 255]));
  },
  format(input) {
    let last = MANDATORY;
    for (const key of readKeys(input.again())) {
      if (key <= last) input.fail('the mandatory keys are not in ascending order, or not allowed to be mandatory');
      last = key;
    }
    return readKeys(input)
      .map((key) => keyName(key, input.isPortable))
      .join(',');
  },
  take: (input) => readKeys(input).map((key) => keyName(key)),
};

const opaque = (key: number): SvcParam => ({
  name: `key${key}`,
  rule: 'can have any value',
  parse: (value) => value,
  format: (input) => (input.left === 0 ? '' : quote(input.rest())),
  take: (input) => formatHex(input.rest()),
});

const IPV4 =
  'must be IPv4 addresses separated by commas, such as ipv4hint=192.0.2.1,192.0.2.2, or auto for those of the target';
const IPV6 =
  'must be IPv6 addresses separated by commas, such as ipv6hint=2001:db8::1,2001:db8::2, or auto for those of the target';

const SVC_PARAMS: ReadonlyMap<number, SvcParam> = new Map([
  [MANDATORY, mandatory],
  [1, alpn],
  [2, flag('no-default-alpn')],
  [3, port],
  [4, hint('ipv4hint', IPV4, 4, readIPv4, formatIPv4)],
  [5, ech],
  [6, hint('ipv6hint', IPV6, 16, readIPv6, formatIPv6)],
  [7, dohpath],
  // RFC 9540 section 4.
  [8, flag('ohttp')],
  [9, tlsSupportedGroups],
  [10, docpath],
  // draft-ietf-intarea-proxy-config-13 section 2.1.
  [11, flag('pvd')],
  [12, oots],
]);

const BY_NAME: ReadonlyMap<string, number> = new Map([...SVC_PARAMS].map(([key, { name }]) => [name, key]));
/** For messages. */
export const KNOWN_KEYS: string = [...BY_NAME.keys()].join(', ');

/** Knot 3.2 knows no later key by name, BIND 9.18 and NSD 4.6 only the next (RFC 9460 14.3.2). */
const LAST_PORTABLE = 6;

/** `isPortable`: `keyN` unless servers of any version know the name. */
export function svcParam(key: number, isPortable = false): SvcParam {
  return (isPortable && key > LAST_PORTABLE ? undefined : SVC_PARAMS.get(key)) ?? opaque(key);
}

/**
 * The presentation form of a parameter. A value that its RFC forbids, which other servers load, is
 * written by the number of its key. Throws InvalidError for `mandatory` alone.
 */
export function formatParam(key: number, value: WireReader): string {
  const param = hasRightValue(key, value) ? svcParam(key, value.isPortable) : opaque(key);
  const text = param.format(value);
  return text === '' ? param.name : `${param.name}=${text}`;
}

/**
 * The name of a parameter and its value as JSON; in hexadecimal where formatParam gives a number.
 */
export function takeParam(key: number, value: WireReader): [name: string, value: unknown] {
  const param = hasRightValue(key, value) ? svcParam(key) : opaque(key);
  return [param.name, param.take(value)];
}

function hasRightValue(key: number, value: WireReader): boolean {
  if (key === MANDATORY) return true;
  const reader = value.again();
  try {
    svcParam(key).format(reader);
    return reader.left === 0;
  } catch (error) {
    if (error instanceof InvalidError) return false;
    throw error;
  }
}

/** The fault that makes a record unusable; undefined: none. `values`: wire form by key. */
export function findFault(values: ReadonlyMap<number, Uint8Array>): string | undefined {
  const wanted = values.get(MANDATORY) ?? [];
  for (let i = 0; i < wanted.length; i += 2) {
    const key = (wanted[i] << 8) | wanted[i + 1];
    if (!values.has(key)) return `the mandatory parameter ${keyName(key)} is missing`;
  }
  return undefined;
}

/** A violation of the RFCs that other servers load; undefined: none. */
export function findParamDoubt(values: ReadonlyMap<number, WireReader>): string | undefined {
  // Section 7.1.1.
  if (values.has(NO_DEFAULT_ALPN) && !values.has(ALPN)) return 'no-default-alpn requires alpn';
  if (values.has(INVALID_KEY)) return 'key65535 is reserved as the invalid key (RFC 9460 14.3.2)';
  for (const [key, value] of values)
    if (!hasRightValue(key, value)) return `the parameter ${keyName(key)} ${svcParam(key).rule}`;
  return undefined;
}
