/**
 * Domain names in wire form: uncompressed, absolute, ending in the root label (RFC 1035 3.1). A
 * name in the store, in rdata and in a compiled answer is in lower case (RFC 4343); the case of a
 * query is kept only in its question, and the case of a master file only in the table of spellings.
 */

import { domainToASCII } from 'node:url';
import { InvalidError } from '../../base/errors.ts';
import { latin1 } from './latin1.ts';

/** The dots of UTS 46: full stop, ideographic, fullwidth, halfwidth. */
const DOTS = /[.\u3002\uff0e\uff61]/;
const NOT_ASCII = /[^\0-\x7f]/;

export type Name = Uint8Array;

export const MAX_NAME = 255;
export const MAX_LABEL = 63;
export const ROOT: Name = Uint8Array.of(0);

/** Byte to its lower-case form, ASCII only (RFC 4343 section 3). */
export const LOWER: Uint8Array = Uint8Array.from({ length: 256 }, (_, c) => (c >= 65 && c <= 90 ? c + 32 : c));

/**
 * Used by one parseName at a time. An array of this size for each call costs more than the parsing:
 * it is allocated off the heap.
 */
const scratch = new Uint8Array(MAX_NAME + 1);

/**
 * Presentation form to wire form, lower-cased. `\DDD` and `\X` escapes are accepted (RFC 1035 5.1).
 * A text without the last dot is completed with `origin`, or is absolute when there is none. `@` is
 * the origin. `isBytes`: every character of the text is a byte, also above 127. Throws InvalidError
 * `invalid_name`.
 */
export function parseName(text: string, origin: Name = ROOT, isBytes = false): Name {
  if (text === '@') return origin;
  if (text === '.') return ROOT;
  const out = scratch;
  let length = 1;
  let label = 0;
  let absolute = false;
  const fail = (why: string): never => {
    throw new InvalidError('invalid_name', `The name "${text.slice(0, 80)}" ${why}.`);
  };
  if (text === '') fail('is empty');
  for (let i = 0; i < text.length; i++) {
    let c = text.charCodeAt(i);
    if (c === 0x2e) {
      if (length - label === 1) fail('has an empty label');
      out[label] = length - label - 1;
      label = length++;
      absolute = i === text.length - 1;
      if (length > MAX_NAME) fail('is too long: a name has at most 255 bytes');
      continue;
    }
    if (c === 0x5c) {
      const digits = text.slice(i + 1, i + 4);
      if (/^\d{3}$/.test(digits)) {
        c = Number(digits);
        if (c > 255) fail(`has an escape above \\255`);
        i += 3;
      } else {
        c = text.charCodeAt(++i);
        if (Number.isNaN(c) || (c >= 0x30 && c <= 0x39)) fail('has an unfinished escape');
        if (c > 127 && !isBytes) fail('is not ASCII; write it in its "xn--" form');
      }
    } else if (c > 127 && !isBytes) fail('is not ASCII; write it in its "xn--" form');
    if (length - label > MAX_LABEL) fail('is too long: a label has at most 63 bytes');
    if (length >= MAX_NAME) fail('is too long: a name has at most 255 bytes');
    out[length++] = LOWER[c];
  }
  if (absolute) {
    out[label] = 0;
    return out.slice(0, length);
  }
  out[label] = length - label - 1;
  if (length + origin.length > MAX_NAME) fail('is too long: a name has at most 255 bytes');
  const name = new Uint8Array(length + origin.length);
  for (let i = 0; i < length; i++) name[i] = out[i];
  name.set(origin, length);
  return name;
}

/** Wire form to presentation form, with the last dot. Bytes with a special meaning are escaped. */
export function formatName(name: Name): string {
  return name[0] === 0 ? '.' : formatLabels(name, name.length);
}

/** The labels before `end`, each with its dot. */
function formatLabels(name: Name, end: number): string {
  let text = '';
  for (let p = 0; p < end && name[p] !== 0; p += name[p] + 1) {
    for (let i = p + 1; i <= p + name[p]; i++) {
      const c = name[i];
      if (c <= 0x20 || c >= 0x7f) text += `\\${String(c).padStart(3, '0')}`;
      else if (
        c === 0x2e ||
        c === 0x5c ||
        c === 0x22 ||
        c === 0x3b ||
        c === 0x28 ||
        c === 0x29 ||
        c === 0x40 ||
        c === 0x24
      )
        text += `\\${String.fromCharCode(c)}`;
      else text += String.fromCharCode(c);
    }
    text += '.';
  }
  return text;
}

/**
 * The form relative to `origin`: `@` for the origin itself, no last dot below it, absolute
 * elsewhere.
 */
export function formatRelative(name: Name, origin: Name): string {
  if (!isWithin(name, origin)) return formatName(name);
  if (name.length === origin.length) return '@';
  return formatLabels(name, name.length - origin.length).slice(0, -1);
}

/** Whether `name` is `ancestor` or is below it. Both in lower case. */
export function isWithin(name: Name, ancestor: Name): boolean {
  const from = name.length - ancestor.length;
  if (from < 0) return false;
  let p = 0;
  while (p < from) p += name[p] + 1;
  if (p !== from) return false;
  for (let i = 0; i < ancestor.length; i++) if (name[from + i] !== ancestor[i]) return false;
  return true;
}

export function equalNames(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The name without its first label. The root has no parent. */
export function parentName(name: Name): Name {
  return name.subarray(name[0] + 1);
}

/** Number of labels, the root not counted. */
export function labelCount(name: Name): number {
  let n = 0;
  for (let p = 0; name[p] !== 0; p += name[p] + 1) n++;
  return n;
}

/** The suffix of `name` with one label more than `encloser`, which is above it (RFC 5155 1.3). */
export function nextCloser(name: Name, encloser: Name): Name {
  let at = name;
  for (let above = parentName(at); above.length > encloser.length; above = parentName(at)) at = above;
  return at;
}

export function isWildcard(name: Name): boolean {
  return name[0] === 1 && name[1] === 0x2a;
}

const ASTERISK: Uint8Array = Uint8Array.of(1, 0x2a);

/** `*.` in front of a name. The caller has made sure that it fits. */
export function wildcardOf(name: Name): Name {
  return joinNames(ASTERISK, name);
}

/**
 * Labels without the root in front of a name. The caller has made sure that it fits into 255 bytes.
 */
export function joinNames(labels: Uint8Array, name: Name): Name {
  const out = new Uint8Array(labels.length + name.length);
  out.set(labels);
  out.set(name, labels.length);
  return out;
}

/**
 * The uncompressed name that starts at `offset`, as a view. The bytes are trusted (our own rdata).
 */
export function nameAt(bytes: Uint8Array, offset: number): Name {
  let p = offset;
  // The loop also ends after the last byte if the bytes are not a valid name.
  while (bytes[p] > 0) p += bytes[p] + 1;
  return bytes.subarray(offset, p + 1);
}

/** A string key for Map and Set, equal for equal names only. */
export function nameId(name: Name): string {
  return latin1(name);
}

/** Presentation form without the last dot, as outside of zone files; "." for the root. */
export function formatHost(name: Name): string {
  return name.length === 1 ? '.' : formatName(name).slice(0, -1);
}

/**
 * Converts labels that are not ASCII to A-labels (RFC 5890, by UTS 46). Other labels are unchanged.
 * Throws InvalidError `invalid_name`.
 */
export function toAscii(text: string, pointer: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .split(DOTS)
    .map((label) => (NOT_ASCII.test(label) ? toALabel(label, pointer) : label))
    .join('.');
}

function toALabel(label: string, pointer: string): string {
  // A label is appended, so that a number is not parsed as an IPv4 address.
  const ascii = domainToASCII(`${label}.a`);
  if (/^[^.]+\.a$/.test(ascii)) return ascii.slice(0, -2);
  throw new InvalidError(
    'invalid_name',
    `"${label.slice(0, 63)}" is not a valid label of an international domain name.`,
    {
      pointer,
    },
  );
}
