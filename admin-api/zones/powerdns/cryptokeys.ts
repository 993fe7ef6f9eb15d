/**
 * DNSSEC keys as PowerDNS shows them. A zone has one key that signs (a combined signing key), and a
 * second one only while the first is replaced.
 */

import { algorithmOf, dsRdata, isRsaAlgorithm, publicKeyOf } from '../../../core/dns/dnssec/dnskey.ts';
import { rsaBits } from '../../../core/dns/dnssec/rsa.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Domain, publishedKeys, signingKeys } from '../../../core/store/rows.ts';
import { readSignedZone } from '../../../core/upkeep/signing/store-zone.ts';
import { signingKey } from '../../../core/upkeep/signing/zone-lifecycle.ts';
import { requireEditable } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { setDnssec, stopRollover } from '../dnssec/service.ts';
import { notFound, unprocessable, unsupported } from './errors.ts';
import { has, type JsonObject, readString } from './fields.ts';
import type { PowerDnsContext } from './route.ts';
import { findZone } from './zone-id.ts';
import { isSigned } from './zone-view.ts';

const NAMES: ReadonlyMap<number, string> = new Map([
  [8, 'RSASHA256'],
  [10, 'RSASHA512'],
  [13, 'ECDSAP256SHA256'],
  [15, 'ED25519'],
]);
/** The supported values of `algorithm` in PowerDNS, in lower case. RSA: of given keys. */
const ALGORITHMS: ReadonlyMap<string, number> = new Map([
  ['rsasha256', 8],
  ['8', 8],
  ['rsasha512', 10],
  ['10', 10],
  ['ecdsa256', 13],
  ['ecdsap256sha256', 13],
  ['13', 13],
  ['ed25519', 15],
  ['15', 15],
]);
/** Unsupported algorithms of PowerDNS. RFC 8624 section 3.1 advises against signing with most. */
const UNSUPPORTED =
  /^(?:rsamd5|dsa|rsasha1(?:-nsec3-sha1)?|nsec3rsasha1|ecc-gost|gost|ecdsa384|ecdsap384sha384|ed448|[13567]|12|14|16)$/;
/** Of the keys that are generated. */
const BITS = 256;
const FLAGS = 257;

interface Zone {
  readonly domain: Domain;
  readonly keys: readonly ZoneKey[];
}

function find({ reader }: Services, { caller, params }: PowerDnsContext): Zone {
  const domain = findZone(reader, caller, params.zone_id);
  return { domain, keys: readZoneKeys(reader, domain) };
}

export const listCryptokeys = (services: Services, context: PowerDnsContext) => find(services, context).keys.map(view);

/** Throws HttpError 404. */
export const findCryptokey = (services: Services, context: PowerDnsContext) => view(requireKey(services, context).key);

function requireKey(services: Services, context: PowerDnsContext): Zone & { readonly key: ZoneKey } {
  const zone = find(services, context);
  const id = parseId(context.params.cryptokey_id);
  const key = zone.keys.find((other) => other.id === id);
  if (key === undefined) throw notFound('The zone has no key with this id.');
  return { ...zone, key };
}

/** Signs the zone. Throws InvalidError, for everything but a new key of a zone without keys. */
export async function createCryptokey(services: Services, context: PowerDnsContext, body: JsonObject) {
  const { domain, keys } = find(services, context);
  requireEditable(domain);
  const request = readBody(body);
  if (keys.length > 0)
    throw unsupported(
      `The zone is signed already, with the key ${keys[0].id}. Keys are replaced by POST /api/v1/domains/${domain.id}/dnssec/rollover.`,
    );
  await setDnssec(services, ofDomain(context, domain), { enabled: true, ...request });
  return listCryptokeys(services, context)[0];
}

/** Converts the request for the DNSSEC endpoint. */
const ofDomain = (context: PowerDnsContext, { id }: Domain): PowerDnsContext => ({
  ...context,
  params: { domain_id: String(id) },
});

/** The algorithm, by default ours, and the given private key. Throws InvalidError. */
function readBody(body: JsonObject): { algorithm?: number; private_key?: string } {
  const type = readString(body, 'keytype');
  if (!['ksk', 'zsk', 'csk'].includes(type)) throw unprocessable(`Invalid keytype ${type.slice(0, 40)}`);
  if (type === 'zsk')
    throw unsupported('A separate zone signing key is not supported; create a key of the type "csk".');
  const content = ['privatekey', 'content'].find((key) => has(body, key));
  const privateKey = content === undefined ? undefined : readString(body, content);
  const algorithm = has(body, 'algorithm') ? readAlgorithm(body.algorithm) : undefined;
  if (algorithm !== undefined && isRsaAlgorithm(algorithm) && privateKey === undefined)
    throw unsupported('New keys of RSA are not supported; use ecdsa256 (13) or ed25519 (15).');
  if (has(body, 'bits') && privateKey === undefined) readBits(body.bits);
  if (body.active !== true)
    throw unsupported('A key that does not sign is not supported; send "active": true to sign the zone.');
  if (body.published === false) throw unsupported('A key that is not published is not supported.');
  return { algorithm, private_key: privateKey };
}

function readAlgorithm(value: unknown): number {
  const text = String(value).toLowerCase();
  const algorithm = ALGORITHMS.get(text);
  if (algorithm !== undefined) return algorithm;
  if (UNSUPPORTED.test(text))
    throw unsupported(`The algorithm ${text} is not supported; use ecdsa256 (13) or ed25519 (15).`);
  throw unprocessable(`Unknown algorithm: ${text.slice(0, 40)}`);
}

function readBits(value: unknown): void {
  if (!Number.isInteger(value) || Number(value) < 0) throw unprocessable("'bits' must be a positive integer value");
  if (value !== 0 && value !== BITS) throw unprocessable('The algorithm does not support the given bit size.');
}

/** Accepts only the current state of the key. Throws HttpError 404 and InvalidError. */
export function changeCryptokey(services: Services, context: PowerDnsContext, body: JsonObject): void {
  const { key } = requireKey(services, context);
  if (typeof body.active !== 'boolean') throw unprocessable("Key 'active' not present or not a Bool");
  if (body.published === false) throw unsupported('All keys of a signed zone are published.');
  if (body.active === key.isActive) return;
  throw unsupported(
    body.active
      ? 'A key that is replacing another one signs when the caches have it, without any action of yours.'
      : 'A signed zone has no inactive keys. Delete the key to stop signing, after its DS record is gone.',
  );
}

/**
 * Stops signing, or cancels the replacement of a key. Throws HttpError 404, and StateError while
 * the parent has a DS record of the key.
 */
export async function deleteCryptokey(services: Services, context: PowerDnsContext): Promise<void> {
  const { domain, keys, key } = requireKey(services, context);
  const request = ofDomain(context, domain);
  if (keys.length === 1) await setDnssec(services, request, { enabled: false });
  else if (key.isMain) throw unsupported('The key signs the zone while another one replaces it.');
  else await stopRollover(services, request);
}

function view({ id, isActive, isPublished, algorithm, dnskey, ds }: ZoneKey) {
  const all = [formatRdata(TYPE.DS, ds).toLowerCase()];
  return {
    active: isActive,
    algorithm: NAMES.get(algorithm),
    bits: isRsaAlgorithm(algorithm) ? rsaBits(publicKeyOf(dnskey)) : BITS,
    cds: all,
    dnskey: formatRdata(TYPE.DNSKEY, dnskey),
    ds: all,
    flags: FLAGS,
    id,
    keytype: 'csk',
    published: isPublished,
    type: 'Cryptokey',
  };
}

interface ZoneKey {
  readonly id: Id;
  /** Whether the key signs. An inactive key is part of a key rollover. */
  readonly isActive: boolean;
  /** False while the algorithm of the zone is replaced, and caches lack signatures of the key. */
  readonly isPublished: boolean;
  /** The zone depends on the key. */
  readonly isMain: boolean;
  readonly algorithm: number;
  /** RDATA of its DNSKEY record, and of a DS record with SHA-256. */
  readonly dnskey: Uint8Array;
  readonly ds: Uint8Array;
}

/** Empty: the zone is not signed. */
function readZoneKeys(reader: Reader, domain: Domain): ZoneKey[] {
  const row = isSigned(reader, domain) ? readSignedZone(reader, domain)?.row : undefined;
  if (row === undefined) return [];
  const [signing, published, main] = [signingKeys(row), publishedKeys(row), signingKey(row)];
  return row.keys.map((key) => {
    const dnskey = Uint8Array.from(Buffer.from(key.dnskey, 'base64'));
    return {
      id: key.id,
      isActive: signing.includes(key),
      isPublished: published.includes(key),
      isMain: key === main,
      algorithm: algorithmOf(dnskey),
      dnskey,
      ds: dsRdata(domain.apex, dnskey),
    };
  });
}
