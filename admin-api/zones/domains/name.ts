/** Reads the name of a domain. */
import { InvalidError } from '../../../core/base/errors.ts';
import { toAscii } from '../../../core/dns/wire/idn.ts';
import { type Name, parseName } from '../../../core/dns/wire/name.ts';
import { findSpellingFault } from '../../../core/upkeep/domains/domain-names.ts';

const POINTER = '/domain';

/**
 * Parses an apex, in any case, in Unicode or A-labels, with or without a trailing dot. Throws
 * InvalidError.
 */
export function parseDomain(text: string): Name {
  const ascii = toAscii(text.trim(), POINTER).replace(/\.$/, '').toLowerCase();
  const apex = parse(ascii, text);
  const fault = findSpellingFault(apex);
  if (fault !== null) throw new InvalidError(fault.code, fault.message, { pointer: POINTER });
  return apex;
}

/** `text`: as it was sent. */
function parse(ascii: string, text: string): Name {
  try {
    // A backslash would begin an escape of a master file.
    if (ascii !== '' && !ascii.includes('\\')) return parseName(`${ascii}.`);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new InvalidError('invalid_domain', error.message, { pointer: POINTER });
  }
  throw new InvalidError(
    'invalid_domain',
    `"${text.slice(0, 80)}" is not a domain name: labels consist of letters, digits and inner hyphens.`,
    { pointer: POINTER },
  );
}
