/**
 * SVCB and HTTPS (RFC 9460). Parameters in AliasMode (priority 0) are accepted. Recipients ignore
 * them, but they are well-formed, a later RFC may define them (2.4.2), and primaries send them.
 */
import { TYPE } from '../types.ts';
import type { FieldReader } from './field-reader.ts';
import { shown } from './fields.ts';
import type { FieldKind, RdataObject, RdataRow } from './kind.ts';
import { domainName, u16, unescapeText } from './kinds.ts';
import { findFault, findParamDoubt, formatParam, KNOWN_KEYS, parseKey, svcParam, takeParam } from './svc-params.ts';
import { WireReader } from './wire-reader.ts';

const WHAT = 'parameter';

/**
 * `key`, `key=value` or `key="value"` (section 2.1): a quoted value is a field of its own, adjacent
 * to `key=`.
 */
function splitParam(input: FieldReader): [name: string, value: string] {
  const { text, quoted, adjacent } = input.field(WHAT);
  if (quoted || adjacent) input.fail(WHAT, 'must have the form key=value or key="value"', text);
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  let value = text.slice(name.length + 1);
  if (input.peek()?.adjacent && equals >= 0 && value === '') value = input.field(WHAT).text;
  if (input.peek()?.adjacent) input.fail(WHAT, 'must have the form key=value or key="value"', name);
  return [name, value];
}

function parseParam(input: FieldReader): [key: number, value: Uint8Array] {
  const [name, text] = splitParam(input);
  const key = parseKey(name);
  if (key === undefined)
    return input.fail(`${WHAT} ${shown(name)}`, `is unknown: write ${KNOWN_KEYS}, or keyN with its number`);
  const value = unescapeText(text, `value of ${name}`, input);
  const param = svcParam(key);
  // A known key by its number has its wire form as the value (section 2.1).
  if (name !== param.name) return [key, value];
  return [key, param.parse(value) ?? input.fail(`${WHAT} ${name}`, param.rule, text)];
}

/** The parameters in the order of the wire, which is that of the keys. */
function readParams(input: WireReader): Map<number, WireReader> {
  const values = new Map<number, WireReader>();
  let last = -1;
  while (input.left > 0) {
    const key = input.u16();
    if (key <= last) input.fail('the parameter keys are not in ascending order');
    values.set(key, input.part(input.u16()));
    last = key;
  }
  const fault = findFault(new Map([...values].map(([key, value]) => [key, value.again().rest()])));
  if (fault !== undefined) input.fail(fault);
  return values;
}

const params: FieldKind = {
  parse(input, out) {
    const values = new Map<number, Uint8Array>();
    while (input.left > 0) {
      const [key, value] = parseParam(input);
      if (values.has(key)) input.fail(`${WHAT} ${svcParam(key).name}`, 'is a duplicate');
      values.set(key, value);
    }
    const sorted = [...values].sort(([a], [b]) => a - b);
    // `mandatory` by its number may have any bytes.
    if (values.has(0)) formatParam(0, new WireReader(input.type, values.get(0)!));
    const fault = findFault(values);
    if (fault !== undefined) input.fail('list of parameters', `is inconsistent: ${fault}`);
    for (const [key, value] of sorted) {
      out.u16(key);
      out.u16(value.length);
      out.bytes(value);
    }
  },
  format(input) {
    return [...readParams(input)].map(([key, value]) => formatParam(key, value)).join(' ');
  },
  take(input, into) {
    const object: RdataObject = {};
    for (const [key, value] of readParams(input)) {
      const [name, taken] = takeParam(key, value);
      object[name.replaceAll('-', '_')] = taken;
    }
    into.params = object;
  },
};

function findDoubt(type: number, rdata: Uint8Array): string | undefined {
  const reader = new WireReader(type, rdata);
  reader.u16();
  reader.name();
  return findParamDoubt(readParams(reader));
}

const COMMON = { names: 'kept', fields: [u16('priority'), domainName('target'), params] } as const;

export const SVCB_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.SVCB,
    ...COMMON,
    example: '1 svc.example.net. alpn="dot" port=853',
    doubt: (rdata) => findDoubt(TYPE.SVCB, rdata),
  },
  {
    type: TYPE.HTTPS,
    ...COMMON,
    example: '1 . alpn="h2,h3" ipv4hint=192.0.2.1',
    doubt: (rdata) => findDoubt(TYPE.HTTPS, rdata),
  },
];
