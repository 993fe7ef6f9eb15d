/** Reads the DNS message of a DoH request. */
import { HEADER_LENGTH, MAX_MESSAGE, QR } from '../../../core/dns/wire/header.ts';
import { HttpError } from '../../http/errors.ts';

/** RFC 8484 section 6. */
export const DNS_MESSAGE = 'application/dns-message';

/**
 * Decodes the values of the parameter `dns` (RFC 8484 4.1.1: base64url, unpadded). Throws HttpError
 * 400 and 413.
 */
export function readMessage(values: readonly string[]): Uint8Array {
  if (values.length !== 1) throw malformed('Send the DNS message as a single parameter ?dns=, in base64url.');
  const [text] = values;
  // A single remaining character encodes less than a byte (RFC 4648 section 5).
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1)
    throw malformed('The value of ?dns= must be base64url without padding.');
  const message = Buffer.from(text, 'base64url');
  if (message.length > MAX_MESSAGE)
    throw new HttpError(413, 'body_too_large', `The DNS message is longer than ${MAX_MESSAGE} bytes.`);
  return requireQuery(message);
}

/**
 * Returns a message that can be a query. Throws HttpError 400 for one that a nameserver drops on
 * other transports.
 */
export function requireQuery(message: Uint8Array): Uint8Array {
  if (message.length < HEADER_LENGTH) throw malformed(`The DNS message is shorter than ${HEADER_LENGTH} bytes.`);
  if ((message[2] & QR) !== 0) throw malformed('The DNS message is a response; send a query.');
  return message;
}

export const malformed = (message: string): HttpError => new HttpError(400, 'malformed_message', message);
