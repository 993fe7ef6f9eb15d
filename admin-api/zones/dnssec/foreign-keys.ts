/**
 * Keys of other providers that serve the same zone: each provider publishes the keys of all, and
 * signs with its own (RFC 8901 section 2.1.2).
 */
import { ECDH } from 'node:crypto';
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { ALGORITHM, algorithmOf, isRsaAlgorithm, keyTag, publicKeyOf } from '../../../core/dns/dnssec/dnskey.ts';
import { faultOfRsaKey } from '../../../core/dns/dnssec/rsa.ts';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { type DnssecRow, dnssec, type ForeignKey } from '../../../core/store/rows.ts';
import { readSignedZone } from '../../../core/upkeep/signing/store-zone.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { Context } from '../../http/route.ts';
import { changeZone, required, storeZone } from './service.ts';
import { viewForeignKey } from './view.ts';

/** Maximum number of keys: every DNSKEY answer contains all of them. */
const MAX_FOREIGN_KEYS = 8;
/** The flags of a zone key and of a revoked key (RFC 4034 2.1.1, RFC 5011 section 7). */
const ZONE_KEY = 0x0100;
const REVOKED = 0x0080;
const PROTOCOL = 3;
/** Bytes of a public key of Ed25519 (RFC 8080), and of P-256 (RFC 6605). */
const ED25519_LENGTH = 32;
const P256_LENGTH = 64;
const UNCOMPRESSED_POINT = 4;

/** Throws HttpError 404. */
export function listForeignKeys({ reader }: Services, { caller, params }: Context<Caller>) {
  const zone = readSignedZone(reader, ownedDomain(reader, caller, parseId(params.domain_id)));
  return { foreign_keys: zone === null ? [] : zone.row.foreign.map(viewForeignKey) };
}

/** Throws HttpError 404, InvalidError `bad_dnskey`, StateError. */
export function addForeignKey(services: Services, context: Context<Caller>, text: string) {
  return changeZone(services, context, (draft, domain, before) => {
    const zone = required(before);
    const rdata = readDnskey(text, zone.row);
    if (zone.row.foreign.length >= MAX_FOREIGN_KEYS)
      throw new StateError(
        'foreign_key_limit',
        `The zone has ${MAX_FOREIGN_KEYS} foreign keys, which is the limit; delete one first.`,
      );
    const key: ForeignKey = {
      id: draft.newId(dnssec),
      dnskey: Buffer.from(rdata).toString('base64'),
      createdAt: Date.now(),
    };
    const row = { ...zone.row, foreign: [...zone.row.foreign, key] };
    storeZone(services, draft, domain, { ...zone, row });
    return {
      action: 'dnssec.foreign_key_create',
      target: key.id,
      detail: { key_tag: keyTag(rdata) },
      createResponse: () => ({ foreign_key: viewForeignKey(key) }),
    };
  });
}

/** Throws HttpError 404. */
export function deleteForeignKey(services: Services, context: Context<Caller>) {
  const id = parseId(context.params.foreign_key_id);
  return changeZone(services, context, (draft, domain, zone) => {
    const key = zone?.row.foreign.find((foreign) => foreign.id === id);
    if (zone === null || key === undefined)
      throw new HttpError(404, 'no_such_key', 'The zone has no foreign key with this id.');
    const row = { ...zone.row, foreign: zone.row.foreign.filter((foreign) => foreign !== key) };
    storeZone(services, draft, domain, { ...zone, row });
    return {
      action: 'dnssec.foreign_key_delete',
      target: id,
      detail: { key_tag: keyTag(Buffer.from(key.dnskey, 'base64')) },
      createResponse: () => ({}),
    };
  });
}

function readDnskey(text: string, { algorithm, keys, foreign }: DnssecRow): Uint8Array {
  let rdata: Uint8Array;
  try {
    rdata = parseRdata(TYPE.DNSKEY, text.trim());
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw badDnskey(error.message);
  }
  const flags = (rdata[0] << 8) | rdata[1];
  if ((flags & ZONE_KEY) === 0) throw badDnskey(`The flags ${flags} are not those of a zone key; use 256 or 257.`);
  if ((flags & REVOKED) !== 0) throw badDnskey('The key is revoked.');
  if (rdata[2] !== PROTOCOL) throw badDnskey(`The protocol is ${rdata[2]}; it must be 3.`);
  // Validators may require signatures of each algorithm among the keys (RFC 4035 section 2.2).
  if (algorithmOf(rdata) !== algorithm)
    throw badDnskey(
      `The key has algorithm ${algorithmOf(rdata)}, and the zone is signed with ${algorithm}. All providers of a zone must use the same algorithm (RFC 8901 section 5).`,
    );
  if (!isPublicKey(algorithm, publicKeyOf(rdata)))
    throw badDnskey(`The public key is not one of algorithm ${algorithm}.`);
  const tag = keyTag(rdata);
  if ([...keys, ...foreign].some(({ dnskey }) => keyTag(Buffer.from(dnskey, 'base64')) === tag))
    throw badDnskey(`The zone already has a key with key tag ${tag}; the other provider needs another key.`);
  return rdata;
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

const badDnskey = (message: string): InvalidError => new InvalidError('bad_dnskey', message, { pointer: '/dnskey' });
