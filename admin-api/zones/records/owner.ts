/** Parses owner names in the API. */
import { InvalidError } from '../../../core/base/errors.ts';
import { formatHost, formatName, isWithin, type Name, parseName, ROOT, toAscii } from '../../../core/dns/wire/name.ts';

const POINTER = '/name';

/**
 * Accepts a relative name, `@`, or an absolute name in the zone: with a trailing dot, or with the
 * domain name at its end. Unicode labels become A-labels. Throws InvalidError.
 */
export function parseOwner(text: string, apex: Name): Name {
  try {
    const ascii = toAscii(text.trim(), POINTER);
    if (ascii === '' || ascii === '@') return apex;
    const absolute = ascii.endsWith('.') || endsInApex(ascii, apex);
    const name = parseName(ascii, absolute ? ROOT : apex);
    if (isWithin(name, apex)) return name;
  } catch (error) {
    if (error instanceof InvalidError) throw new InvalidError(error.code, error.message, { pointer: POINTER });
    throw error;
  }
  throw new InvalidError('name_outside', `The name is not in the zone ${formatName(apex)}`, { pointer: POINTER });
}

/**
 * Users write `www.example.com` as an absolute name and do not mean `www.example.com.example.com`.
 */
function endsInApex(text: string, apex: Name): boolean {
  const whole = formatHost(apex);
  const lower = text.toLowerCase();
  return lower === whole || lower.endsWith(`.${whole}`);
}
