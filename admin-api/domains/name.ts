/** Checks which names can be domains of the service. */
import { getPublicSuffix } from 'tldts';
import { InvalidError } from '../../core/base/errors.ts';
import { toAscii } from '../../core/wire/idn.ts';
import { formatHost, labelCount, type Name, parseName } from '../../core/wire/name.ts';

const POINTER = '/domain';
/** Letters, digits, inner hyphens (RFC 1123 2.1), and underscores, which some delegations have. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

function refuse(code: string, message: string): never {
  throw new InvalidError(code, message, { pointer: POINTER });
}

/**
 * Parses an apex, in any case, in Unicode or A-labels, with or without a trailing dot. Throws
 * InvalidError.
 */
export function parseDomain(text: string): Name {
  const ascii = toAscii(text.trim(), POINTER).replace(/\.$/, '').toLowerCase();
  const labels = ascii.split('.');
  const bad = labels.find((label) => !LABEL.test(label));
  if (bad !== undefined)
    refuse(
      'invalid_domain',
      `"${text.slice(0, 80)}" is not a domain name: labels consist of letters, digits and inner hyphens.`,
    );
  if (/^\d+$/.test(labels[labels.length - 1]))
    refuse('invalid_domain', 'An address is not a domain: a top-level domain cannot be a number.');
  try {
    return parseName(`${ascii}.`);
  } catch (error) {
    if (error instanceof InvalidError) refuse('invalid_domain', error.message);
    throw error;
  }
}

/** Throws InvalidError for a public suffix, such as `co.uk` or `github.io`. */
export function rejectPublicSuffix(apex: Name): void {
  const text = formatHost(apex);
  if (labelCount(apex) > 1 && getPublicSuffix(text, { allowPrivateDomains: true, validateHostname: false }) !== text)
    return;
  refuse('public_suffix', `"${text}" is a public suffix; use a domain that is registered under it.`);
}
