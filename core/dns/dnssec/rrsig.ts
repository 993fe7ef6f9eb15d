/**
 * RRSIG records (RFC 4034 section 3). The message is prepared first, so that a cached signature can
 * be found by key and digest.
 */
import { hash } from 'node:crypto';
import type { Name } from '../wire/name.ts';
import { canonicalWireForm, lowerCased, type OwnedRRset, signedLabelCount } from './canonical.ts';
import type { SigningInput, SigningKey } from './keys.ts';
import type { Validity } from './lifetime.ts';

/** An RRset with its signing key and the validity of the signature. */
export interface RrsigRequest {
  readonly rrset: OwnedRRset;
  readonly key: SigningKey;
  /** The zone's apex, in any case. */
  readonly signer: Name;
  readonly validity: Validity;
}

export interface PreparedRrsig extends SigningInput {
  /** Bytes of the rdata before the signature. The message begins with them (RFC 4034 3.1.8.1). */
  readonly headerLength: number;
}

/** Type covered, algorithm, labels, original TTL, expiration, inception, key tag (RFC 4034 3.1). */
const FIXED_LENGTH = 18;

/** Prepares the message to sign for a non-empty RRset. Throws as `canonicalRdatas`. */
export function prepareRrsig({ rrset, key, signer, validity }: RrsigRequest): PreparedRrsig {
  const name = lowerCased(signer);
  const headerLength = FIXED_LENGTH + name.length;
  const message = canonicalWireForm(rrset, headerLength);
  const view = new DataView(message.buffer);
  view.setUint16(0, rrset.type);
  view.setUint8(2, key.algorithm);
  view.setUint8(3, signedLabelCount(rrset.owner));
  view.setUint32(4, rrset.ttl);
  // Modulo 2^32: they are compared by serial number arithmetic (RFC 4034 3.1.5).
  view.setUint32(8, validity.expiration);
  view.setUint32(12, validity.inception);
  view.setUint16(16, key.tag);
  message.set(name, FIXED_LENGTH);
  return { key, message, digest: hash('sha256', message, 'buffer'), headerLength };
}

/** The type that the signature covers. */
export function coveredType({ message }: PreparedRrsig): number {
  return (message[0] << 8) | message[1];
}

/** The apex of the zone, in lower case. */
export function signerName({ message, headerLength }: PreparedRrsig): Name {
  return message.slice(FIXED_LENGTH, headerLength);
}

/** RRSIG rdata. `signature`: that of the prepared message, or a placeholder. */
export function rrsigRdata({ message, headerLength }: PreparedRrsig, signature: Uint8Array): Uint8Array {
  const rdata = new Uint8Array(headerLength + signature.length);
  rdata.set(message.subarray(0, headerLength));
  rdata.set(signature, headerLength);
  return rdata;
}
