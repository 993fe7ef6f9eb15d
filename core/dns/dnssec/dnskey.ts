/**
 * Public keys as rdata: DNSKEY, and the records for the parent zone: DS, CDS and CDNSKEY (RFC 4034
 * section 2 and 5, RFC 7344, RFC 8078).
 */
import { createHash } from 'node:crypto';
import type { Name } from '../wire/name.ts';
import { lowerCased } from './canonical.ts';

/** IANA "DNS Security Algorithm Numbers": the algorithms of new keys (RFC 6605, RFC 8080). */
export const ALGORITHM = { ECDSAP256SHA256: 13, ED25519: 15 } as const;
export type Algorithm = (typeof ALGORITHM)[keyof typeof ALGORITHM];

/** The algorithms of keys that are only imported (RFC 5702). */
export const RSA_ALGORITHM = { RSASHA256: 8, RSASHA512: 10 } as const;
export type RsaAlgorithm = (typeof RSA_ALGORITHM)[keyof typeof RSA_ALGORITHM];

/** The algorithms that we sign with. */
export type SigningAlgorithm = Algorithm | RsaAlgorithm;

export const isNewAlgorithm = (number: number): number is Algorithm =>
  number === ALGORITHM.ECDSAP256SHA256 || number === ALGORITHM.ED25519;

export const isRsaAlgorithm = (number: number): number is RsaAlgorithm =>
  number === RSA_ALGORITHM.RSASHA256 || number === RSA_ALGORITHM.RSASHA512;

/** Zone key and secure entry point (RFC 4034 2.1.1): the key signs all RRsets, DNSKEY included. */
const CSK_FLAGS = 257;
/** RFC 4034 2.1.2. */
const PROTOCOL = 3;
/** RFC 4509 2.1. */
const DIGEST_SHA256 = 2;
/** Flags, protocol, algorithm. */
const HEADER_LENGTH = 4;

/** Rdata of CDS that asks the parent to delete all DS records: `0 0 0 00` (RFC 8078 section 4). */
export const DELETE_CDS: Uint8Array = Uint8Array.of(0, 0, 0, 0, 0);
/** The same of CDNSKEY: `0 3 0 AA==`. */
export const DELETE_CDNSKEY: Uint8Array = Uint8Array.of(0, 0, PROTOCOL, 0, 0);

/**
 * Rdata of DNSKEY and CDNSKEY (RFC 4034 2.1, RFC 7344 3.2). `publicKey`: in the form of its
 * algorithm (RFC 3110 section 2, RFC 6605 section 4, RFC 8080 section 3).
 */
export function dnskeyRdata(algorithm: SigningAlgorithm, publicKey: Uint8Array, flags: number = CSK_FLAGS): Uint8Array {
  const rdata = new Uint8Array(HEADER_LENGTH + publicKey.length);
  rdata[0] = flags >> 8;
  rdata[1] = flags;
  rdata[2] = PROTOCOL;
  rdata[3] = algorithm;
  rdata.set(publicKey, HEADER_LENGTH);
  return rdata;
}

/** The algorithm of DNSKEY rdata. It can be an algorithm that we do not sign with. */
export function algorithmOf(dnskey: Uint8Array): number {
  return dnskey[3];
}

/** Whether DNSKEY rdata has the flag SEP: a key that a DS may name (RFC 4034 2.1.1). */
export function isEntryPoint(dnskey: Uint8Array): boolean {
  return (dnskey[1] & 1) === 1;
}

/** The public key of DNSKEY rdata, as a view. */
export function publicKeyOf(dnskey: Uint8Array): Uint8Array {
  return dnskey.subarray(HEADER_LENGTH);
}

/**
 * RFC 4034 appendix B. The different calculation for algorithm 1 (appendix B.1) is omitted: signing
 * with it is prohibited.
 */
export function keyTag(dnskey: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < dnskey.length; i++) sum += i & 1 ? dnskey[i] : dnskey[i] << 8;
  return (sum + (sum >>> 16)) & 0xffff;
}

/**
 * The identity of a key, 32 bytes: SHA-256 of its public key. Key tags are not unique, and they
 * change with the flags.
 */
export function keyIdentity(dnskey: Uint8Array): Uint8Array {
  return sha256(publicKeyOf(dnskey));
}

/**
 * Rdata of DS and CDS with a SHA-256 digest (RFC 4034 5.1, RFC 4509). `owner`: the zone's apex, in
 * any case.
 */
export function dsRdata(owner: Name, dnskey: Uint8Array): Uint8Array {
  const digest = sha256(lowerCased(owner), dnskey);
  const rdata = new Uint8Array(4 + digest.length);
  const tag = keyTag(dnskey);
  rdata[0] = tag >> 8;
  rdata[1] = tag;
  rdata[2] = algorithmOf(dnskey);
  rdata[3] = DIGEST_SHA256;
  rdata.set(digest, 4);
  return rdata;
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}
