/** Reads and checks the keys that requests give: private keys to import, and DNSKEY records. */
import { ECDH } from 'node:crypto';
import { InvalidError } from '../../../core/base/errors.ts';
import { ALGORITHM, algorithmOf, isRsaAlgorithm, keyTag, publicKeyOf } from '../../../core/dns/dnssec/dnskey.ts';
import type { KeyPair } from '../../../core/dns/dnssec/keys.ts';
import { readKeyPair } from '../../../core/dns/dnssec/private-key.ts';
import { faultOfRsaKey } from '../../../core/dns/dnssec/rsa.ts';
import type { Name } from '../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { dsMatches, isFailed, type LookResult } from '../../../core/upkeep/signing/parent.ts';

/** Maximum number of keys of other providers: every DNSKEY answer contains all of them. */
export const MAX_FOREIGN_KEYS = 8;
/** The flags of a zone key and of a revoked key (RFC 4034 2.1.1, RFC 5011 section 7). */
const ZONE_KEY = 0x0100;
const REVOKED = 0x0080;
const PROTOCOL = 3;
/** Bytes of a public key of Ed25519 (RFC 8080), and of P-256 (RFC 6605). */
const ED25519_LENGTH = 32;
const P256_LENGTH = 64;
const UNCOMPRESSED_POINT = 4;

/** The keys of a zone that is taken over from another provider. */
export interface ImportedKeys {
  readonly pair: KeyPair;
  /** DNSKEY rdata of the other keys of the provider. */
  readonly foreign: readonly Uint8Array[];
}

interface GivenKeys {
  readonly private_key?: string | undefined;
  readonly algorithm?: number | undefined;
  readonly foreign_keys?: readonly string[] | undefined;
}

/** Null: none are given. Throws InvalidError `bad_key`, `bad_algorithm`, `bad_dnskey`. */
export function readImportedKeys({ private_key, algorithm, foreign_keys = [] }: GivenKeys): ImportedKeys | null {
  if (private_key === undefined) {
    if (foreign_keys.length === 0) return null;
    throw badDnskey('Keys of another provider are given together with "private_key", or added later.', '/foreign_keys');
  }
  const pair = readKeyPair(private_key, algorithm);
  const own = algorithmOf(pair.dnskey);
  if (algorithm !== undefined && algorithm !== own)
    throw new InvalidError('bad_algorithm', `The private key has algorithm ${own}; omit "algorithm".`, {
      pointer: '/algorithm',
    });
  const foreign: Uint8Array[] = [];
  for (const [i, text] of foreign_keys.entries()) {
    const pointer = `/foreign_keys/${i}`;
    const rdata = parseDnskey(text, pointer);
    // The DNSKEY records of the provider have the imported key as well.
    if (Buffer.compare(rdata, pair.dnskey) === 0) continue;
    checkDnskey(rdata, own, [pair.dnskey, ...foreign], pointer);
    foreign.push(rdata);
  }
  return { pair, foreign };
}

/**
 * Checks that the parent has no DS record, or one of these keys: with another one, resolvers would
 * reject the zone. `look`: null or failed: nothing is known. Throws InvalidError `bad_key`.
 */
export function requireTrusted({ pair, foreign }: ImportedKeys, apex: Name, look: LookResult | null): void {
  if (look === null || isFailed(look)) return;
  const found = look.sets.flat().map((hex) => Buffer.from(hex, 'hex'));
  const keys = [pair.dnskey, ...foreign];
  if (found.length === 0 || found.some((ds) => keys.some((key) => dsMatches(ds, apex, key)))) return;
  throw new InvalidError(
    'bad_key',
    `The parent zone has the DS record of another key: it names key tag ${found[0].readUInt16BE(0)} of algorithm ${found[0][2]}, and this is key tag ${keyTag(pair.dnskey)} of algorithm ${algorithmOf(pair.dnskey)}. Give the private key of that one.`,
    { pointer: '/private_key' },
  );
}

/**
 * A key of another provider. `others`: the DNSKEY rdata of the zone. Throws InvalidError
 * `bad_dnskey`.
 */
export function readForeignKey(text: string, algorithm: number, others: readonly Uint8Array[]): Uint8Array {
  const rdata = parseDnskey(text, '/dnskey');
  checkDnskey(rdata, algorithm, others, '/dnskey');
  return rdata;
}

function parseDnskey(text: string, pointer: string): Uint8Array {
  try {
    return parseRdata(TYPE.DNSKEY, text.trim());
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw badDnskey(error.message, pointer);
  }
}

function checkDnskey(rdata: Uint8Array, algorithm: number, others: readonly Uint8Array[], pointer: string): void {
  const flags = (rdata[0] << 8) | rdata[1];
  const fail = (message: string): InvalidError => badDnskey(message, pointer);
  if ((flags & ZONE_KEY) === 0) throw fail(`The flags ${flags} are not those of a zone key; use 256 or 257.`);
  if ((flags & REVOKED) !== 0) throw fail('The key is revoked.');
  if (rdata[2] !== PROTOCOL) throw fail(`The protocol is ${rdata[2]}; it must be 3.`);
  // Validators may require signatures of each algorithm among the keys (RFC 4035 section 2.2).
  if (algorithmOf(rdata) !== algorithm)
    throw fail(
      `The key has algorithm ${algorithmOf(rdata)}, and the zone is signed with ${algorithm}. All providers of a zone must use the same algorithm (RFC 8901 section 5).`,
    );
  if (!isPublicKey(algorithm, publicKeyOf(rdata))) throw fail(`The public key is not one of algorithm ${algorithm}.`);
  const tag = keyTag(rdata);
  if (others.some((other) => keyTag(other) === tag))
    throw fail(`The zone already has a key with key tag ${tag}; the other provider needs another key.`);
}

function isPublicKey(algorithm: number, key: Uint8Array): boolean {
  if (isRsaAlgorithm(algorithm)) return faultOfRsaKey(key) === null;
  if (algorithm === ALGORITHM.ED25519) return key.length === ED25519_LENGTH;
  if (key.length !== P256_LENGTH) return false;
  try {
    // Throws if the point is not on the curve.
    ECDH.convertKey(Buffer.concat([Uint8Array.of(UNCOMPRESSED_POINT), key]), 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

const badDnskey = (message: string, pointer: string): InvalidError =>
  new InvalidError('bad_dnskey', message, { pointer });
