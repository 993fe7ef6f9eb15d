/** Checks a protection document beyond its schema. */
import { InvalidError } from '../../base/errors.ts';
import { normalAuthorities } from './authorities.ts';
import { fullProtection, type ProtectionDocument } from './document.ts';

/** A path prefix. It has no query or fragment, since neither would ever match. */
const PREFIX = /^\/[^\s?#]*$/;

/** The document to store. Throws InvalidError. */
export function checkProtection(document: ProtectionDocument): ProtectionDocument {
  const { challenge, tls } = fullProtection(document);
  challenge.except.forEach((prefix, i) => {
    if (!PREFIX.test(prefix))
      throw new InvalidError('invalid_protection', `"${prefix}" is not a path; begin it with "/".`, {
        pointer: `/challenge/except/${i}`,
      });
  });
  const authorities = tls.client_authorities === null ? null : normalAuthorities(tls.client_authorities);
  if (tls.client_certificates !== 'off' && authorities === null)
    throw new InvalidError(
      'invalid_authorities',
      '"client_certificates" needs "client_authorities": the certificates of the authorities in PEM form.',
      { pointer: '/tls/client_authorities' },
    );
  return document.tls === undefined ? document : { ...document, tls: { ...tls, client_authorities: authorities } };
}
