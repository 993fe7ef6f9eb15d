/**
 * Keys of other providers that serve the same zone: each provider publishes the keys of all, and
 * signs with its own (RFC 8901 section 2.1.2).
 */
import { StateError } from '../../../core/base/errors.ts';
import { keyTag } from '../../../core/dns/dnssec/dnskey.ts';
import type { DnssecRow } from '../../../core/store/rows.ts';
import { readSignedZone } from '../../../core/upkeep/signing/store-zone.ts';
import { changesAlgorithm } from '../../../core/upkeep/signing/zone-lifecycle.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { Context } from '../../http/route.ts';
import { MAX_FOREIGN_KEYS, readForeignKey } from './given-keys.ts';
import { changeZone, newForeignKey, required, storeZone } from './service.ts';
import { viewForeignKey } from './view.ts';

/** Throws HttpError 404. */
export function listForeignKeys({ reader }: Services, { caller, params }: Context<Caller>) {
  const zone = readSignedZone(reader, ownedDomain(reader, caller, parseId(params.domain_id)));
  return { foreign_keys: zone === null ? [] : zone.row.foreign.map(viewForeignKey) };
}

/** Throws HttpError 404, InvalidError `bad_dnskey`, StateError. */
export function addForeignKey(services: Services, context: Context<Caller>, text: string) {
  return changeZone(services, context, (draft, domain, before) => {
    const zone = required(before);
    if (changesAlgorithm(zone.row))
      throw new StateError(
        'dnssec_rolling',
        'The algorithm of the zone is being replaced, which all providers of a zone must share; wait until the rollover has ended.',
      );
    const rdata = readForeignKey(text, zone.row.algorithm, dnskeysOf(zone.row));
    if (zone.row.foreign.length >= MAX_FOREIGN_KEYS)
      throw new StateError(
        'foreign_key_limit',
        `The zone has ${MAX_FOREIGN_KEYS} foreign keys, which is the limit; delete one first.`,
      );
    const key = newForeignKey(draft, rdata);
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

const dnskeysOf = ({ keys, foreign }: DnssecRow): Buffer[] =>
  [...keys, ...foreign].map(({ dnskey }) => Buffer.from(dnskey, 'base64'));
