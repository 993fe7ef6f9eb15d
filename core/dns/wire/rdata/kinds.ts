/**
 * The field kinds that several families share: numbers, names, times, strings, hexadecimal data.
 */
import { formatName } from '../name.ts';
import { MAX_TTL, parseTtl } from '../ttl.ts';
import type { FieldReader } from './field-reader.ts';
import { shown } from './fields.ts';
import type { FieldKind } from './kind.ts';

/**
 * In each kind below `what` is the field's name in its RFC, for messages, and `key` its name in the
 * structured form.
 */
const keyOf = (what: string): string => what.replaceAll(' ', '_');

export const u8 = (what: string, key = keyOf(what)): FieldKind => ({
  parse: (input, out) => out.u8(input.integer(what, 0xff)),
  format: (input) => String(input.u8()),
  take(input, into) {
    into[key] = input.u8();
  },
});

export const u16 = (what: string, key = keyOf(what)): FieldKind => ({
  parse: (input, out) => out.u16(input.integer(what, 0xffff)),
  format: (input) => String(input.u16()),
  take(input, into) {
    into[key] = input.u16();
  },
});

/**
 * A number of up to `max` that may be written as one of `names`, in any case. It comes out as a
 * number, which every server reads.
 */
const named =
  (max: 0xff | 0xffff) =>
  (what: string, names: ReadonlyMap<string, number>, key = keyOf(what)): FieldKind => {
    const number = max === 0xff ? u8(what, key) : u16(what, key);
    return {
      ...number,
      parse(input, out) {
        const value = names.get(input.peek()?.text.toUpperCase() ?? '');
        if (value === undefined) return number.parse(input, out);
        input.word(what);
        if (max === 0xff) out.u8(value);
        else out.u16(value);
      },
    };
  };

export const namedU8 = named(0xff);
export const namedU16 = named(0xffff);

export const u32 = (what: string, key = keyOf(what)): FieldKind => ({
  parse: (input, out) => out.u32(input.integer(what, 0xffffffff)),
  format: (input) => String(input.u32()),
  take(input, into) {
    into[key] = input.u32();
  },
});

/**
 * Seconds; BIND's units are taken, digits come out. Wider than MAX_TTL only as plain digits: the
 * field has 32 bits.
 */
export const seconds = (what: string, key = keyOf(what)): FieldKind => ({
  parse(input, out) {
    const text = input.word(what);
    const value = /^\d{1,10}$/.test(text) ? Number(text) : parseTtl(text);
    if (value === undefined || value > 0xffffffff)
      return input.fail(what, `must be a time in seconds, or with units as in 1h30m, up to ${MAX_TTL}`, text);
    out.u32(value);
  },
  format: (input) => String(input.u32()),
  take(input, into) {
    into[key] = input.u32();
  },
});

export const domainName = (what: string, key = keyOf(what)): FieldKind => ({
  parse: (input, out) => out.bytes(input.name(what)),
  format: (input) => formatName(input.name()),
  take(input, into) {
    into[key] = formatName(input.name());
  },
});

/** Resolves `\DDD` and `\X` of a byte string to bytes (RFC 1035 5.1). */
export function unescapeText(text: string, what: string, input: FieldReader): Uint8Array {
  if (!text.includes('\\')) return Buffer.from(text, 'latin1');
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let c = text.charCodeAt(i);
    if (c === 0x5c) {
      c = text.charCodeAt(++i);
      if (c >= 0x30 && c <= 0x39) {
        const digits = text.slice(i, i + 3);
        c = /^\d{3}$/.test(digits) ? Number(digits) : 256;
        i += 2;
      }
      if (!(c <= 255))
        input.fail(
          what,
          `has an invalid escape near ${shown(text.slice(Math.max(0, i - 10), i + 2))}; escapes are \\DDD up to \\255 and \\X`,
        );
    }
    bytes[length++] = c;
  }
  return bytes.subarray(0, length);
}

/** Bytes as a quoted string. */
export function quote(bytes: Uint8Array): string {
  let text = '"';
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i];
    if (c < 0x20 || c > 0x7e) text += `\\${String(c).padStart(3, '0')}`;
    else if (c === 0x22 || c === 0x5c) text += `\\${String.fromCharCode(c)}`;
    else text += String.fromCharCode(c);
  }
  return `${text}"`;
}

/** Bytes as text. What is not UTF-8 becomes U+FFFD; the content has every byte. */
export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** A <character-string>: a length byte and up to 255 bytes (RFC 1035 3.3). */
export const characterString = (what: string, key = keyOf(what)): FieldKind => ({
  parse(input, out) {
    const bytes = unescapeText(input.field(what).text, what, input);
    if (bytes.length > 255)
      input.fail(what, `has ${bytes.length} bytes, but the maximum is 255; split it into several quoted strings`);
    out.u8(bytes.length);
    out.bytes(bytes);
  },
  format: (input) => quote(input.take(input.u8())),
  take(input, into) {
    into[key] = utf8(input.take(input.u8()));
  },
});

/**
 * Hexadecimal digits, which white space may cut, to bytes; undefined when they are none or odd in
 * number.
 */
export function parseHex(text: string): Uint8Array | undefined {
  return text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

export function formatHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

/** Base64 with its padding (RFC 4648 section 4) to bytes; undefined when it is none. */
export function parseBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node skips what is no Base64; what it read must be all of the text.
  return bytes.toString('base64') === text ? bytes : undefined;
}

export function formatBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

interface Coding {
  readonly rule: string;
  readonly parse: (text: string) => Uint8Array | undefined;
  readonly format: (bytes: Uint8Array) => string;
}

/** Data to the end of the rdata, at least one byte. White space may cut its text anywhere. */
const toTheEnd =
  ({ rule, parse, format }: Coding) =>
  (what: string, key = keyOf(what)): FieldKind => ({
    parse(input, out) {
      const text = input.joinedWords(what);
      const bytes = parse(text);
      if (bytes === undefined || bytes.length === 0) return input.fail(what, rule, text);
      out.bytes(bytes);
    },
    format(input) {
      if (input.left === 0) input.fail(`the ${what} is missing`);
      return format(input.rest());
    },
    take(input, into) {
      into[key] = format(input.rest());
    },
  });

export const base64Data = toTheEnd({ rule: 'must be Base64', parse: parseBase64, format: formatBase64 });

export const hexData = toTheEnd({
  rule: 'must be pairs of hexadecimal digits',
  parse: parseHex,
  format: formatHex,
});
