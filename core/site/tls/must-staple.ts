/**
 * Whether a certificate asks for OCSP stapling ("must-staple"): the TLS feature extension (RFC
 * 7633) with status_request. The edge does not wait for a response before a handshake, and clients
 * that read the extension, such as Firefox, reject every handshake without one.
 */

import { type Element, elementsOf } from './der.ts';

/** The object identifier 1.3.6.1.5.5.7.1.24 in DER, without tag and length. */
const TLS_FEATURE = Buffer.of(0x2b, 6, 1, 5, 5, 7, 1, 24);
/** RFC 6066 section 8; RFC 6961 section 2.2. */
const STATUS_REQUEST = 5;
const STATUS_REQUEST_V2 = 17;

const SEQUENCE = 0x30;
const OBJECT_IDENTIFIER = 0x06;
const OCTET_STRING = 0x04;
/** RFC 5280 section 4.1: the tag [3] of the extensions in TBSCertificate. */
const EXTENSIONS = 0xa3;

/** `certificate`: DER that OpenSSL has read, as `X509Certificate.raw`. */
export function requiresStapling(certificate: Buffer): boolean {
  const [whole] = elementsOf(certificate);
  const [signed] = elementsOf(whole.content);
  const extensions = elementsOf(signed.content).find(({ tag }) => tag === EXTENSIONS);
  if (extensions === undefined) return false;
  const [list] = elementsOf(extensions.content);
  return elementsOf(list.content).some(({ content }) => isStaplingFeature(elementsOf(content)));
}

/** `parts`: the elements of an extension: identifier, optional critical flag, value. */
function isStaplingFeature(parts: readonly Element[]): boolean {
  const isFeature = parts.some(({ tag, content }) => tag === OBJECT_IDENTIFIER && content.equals(TLS_FEATURE));
  const value = parts.find(({ tag }) => tag === OCTET_STRING);
  if (!isFeature || value === undefined) return false;
  return elementsOf(value.content)
    .filter(({ tag }) => tag === SEQUENCE)
    .flatMap(({ content }) => elementsOf(content))
    .some(({ content }) => content.length === 1 && [STATUS_REQUEST, STATUS_REQUEST_V2].includes(content[0]));
}
