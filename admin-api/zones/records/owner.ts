/** Parses owner names in the API. */
import { InvalidError } from '../../../core/base/errors.ts';
import { formatName, isWithin, type Name, parseName, toAscii } from '../../../core/dns/wire/name.ts';

const POINTER = '/name';

/**
 * Accepts a relative name, `@`, or an absolute name in the zone: with a trailing dot, or with the
 * domain name at its end. Users write `www.example.com` as an absolute name and do not mean
 * `www.example.com.example.com`. Any label is possible, with escapes (RFC 1035 5.1); Unicode labels
 * become A-labels. Throws InvalidError.
 */
export function parseOwner(text: string, apex: Name): Name {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text.trim()) ?? [];
  if (scheme !== undefined)
    throw new InvalidError('invalid_name', `"${text.slice(0, 80)}" is a URL; write the name without "${scheme}".`, {
      pointer: POINTER,
    });
  try {
    const ascii = toAscii(text.trim(), POINTER);
    if (ascii === '' || ascii === '@') return apex;
    const absolute = parseName(ascii);
    if (isWithin(absolute, apex)) return absolute;
    const relative = parseName(ascii, apex);
    if (isWithin(relative, apex)) return relative;
  } catch (error) {
    if (error instanceof InvalidError) throw new InvalidError(error.code, error.message, { pointer: POINTER });
    throw error;
  }
  throw new InvalidError('name_outside', `The name is not in the zone ${formatName(apex)}`, { pointer: POINTER });
}
