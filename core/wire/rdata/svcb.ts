/**
 * SVCB and HTTPS (RFC 9460). Parameters in AliasMode (priority 0) are taken: recipients ignore them, but they are well-formed, a later
 * RFC may give them a meaning (2.4.2), and masters have them.
 */
import { TYPE } from '../types.ts';
import type { FieldReader } from './field-reader.ts';
import type { FieldKind, RdataObject, RdataRow } from './kind.ts';
import { domainName, u16, unescapeText } from './kinds.ts';
import { inconsistency, parseKey, type SvcParam, svcParam } from './svc-params.ts';
import { WireReader } from './wire-reader.ts';

const WHAT = 'parameter';

/** `key`, `key=value` or `key="value"` (section 2.1): a quoted value is a field of its own, adjacent to `key=`. */
function takeParam(input: FieldReader): [name: string, value: string] {
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
  const [name, text] = takeParam(input);
  const key = parseKey(name);
  if (key === undefined)
    return input.fail(`${WHAT} "${name.slice(0, 40)}"`, 'is unknown; write it as keyN, where N is its number');
  const value = unescapeText(text, `value of ${name}`, input);
  const param = svcParam(key);
  if (name !== param.name) {
    // A known key by its number has its wire form as the value (section 2.1).
    param.format(new WireReader(input.type, value));
    return [key, value];
  }
  return [key, param.parse(value) ?? input.fail(`${WHAT} ${name}`, param.rule, text)];
}

/** Calls `visit` with each parameter in the order of the wire, which is that of the keys. */
function readParams(input: WireReader, visit: (param: SvcParam, value: WireReader) => void): void {
  const values = new Map<number, Uint8Array>();
  let last = -1;
  while (input.left > 0) {
    const key = input.u16();
    if (key <= last) input.fail('the parameter keys are not in ascending order');
    if (key === 0xffff) input.fail('65535 is not a valid parameter key');
    const value = input.part(input.u16());
    values.set(key, value.again().rest());
    visit(svcParam(key, input.isPortable), value);
    last = key;
  }
  const fault = inconsistency(values);
  if (fault !== undefined) input.fail(fault);
}

const params: FieldKind = {
  parse(input, out) {
    const values = new Map<number, Uint8Array>();
    while (input.left > 0) {
      const [key, value] = parseParam(input);
      if (values.has(key)) input.fail(`${WHAT} ${svcParam(key).name}`, 'is a duplicate');
      values.set(key, value);
    }
    const fault = inconsistency(values);
    if (fault !== undefined) input.fail('list of parameters', `is inconsistent: ${fault}`);
    for (const [key, value] of [...values].sort(([a], [b]) => a - b)) {
      out.u16(key);
      out.u16(value.length);
      out.bytes(value);
    }
  },
  format(input) {
    const parts: string[] = [];
    readParams(input, (param, value) => {
      const text = param.format(value);
      if (value.left > 0) value.fail(`${param.name} is too long`);
      parts.push(text === '' ? param.name : `${param.name}=${text}`);
    });
    return parts.join(' ');
  },
  take(input, into) {
    const object: RdataObject = {};
    readParams(input, (param, value) => {
      object[param.name.replaceAll('-', '_')] = param.take(value);
    });
    into.params = object;
  },
};

const FIELDS: readonly FieldKind[] = [u16('priority'), domainName('target'), params];

export const SVCB_ROWS: readonly RdataRow[] = [
  { type: TYPE.SVCB, names: 'kept', example: '1 svc.example.net. alpn="dot" port=853', fields: FIELDS },
  { type: TYPE.HTTPS, names: 'kept', example: '1 . alpn="h2,h3" ipv4hint=192.0.2.1', fields: FIELDS },
];
