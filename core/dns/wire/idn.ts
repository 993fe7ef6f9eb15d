import { domainToASCII } from 'node:url';
import { InvalidError } from '../../base/errors.ts';

/** The dots of UTS 46: full stop, ideographic, fullwidth, halfwidth. */
const DOTS = /[.\u3002\uff0e\uff61]/;
const NOT_ASCII = /[^\0-\x7f]/;

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
