/** Handles requests to sign zones, check their parents, and replace their keys. */
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { ALGORITHM, type Algorithm, algorithmOf, isNewAlgorithm } from '../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, type KeyPair } from '../../../core/dns/dnssec/keys.ts';
import { MAX_NSEC3_APEX } from '../../../core/dns/dnssec/nsec3.ts';
import type { Name } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { startResigning } from '../../../core/journal/signing/progress.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type DnssecKey, type Domain, dnssec, dnssecContext, type ForeignKey } from '../../../core/store/rows.ts';
import { findOwnParent } from '../../../core/upkeep/signing/own-parent.ts';
import { isFailed, type LookResult } from '../../../core/upkeep/signing/parent.ts';
import {
  findLargestTtl,
  isBusy,
  lookAtParent,
  noteResult,
  readSignedZone,
  storeSignedZone,
} from '../../../core/upkeep/signing/store-zone.ts';
import {
  advance,
  beginRemoval,
  beginRollover,
  beginSigning,
  beginUnsigning,
  cancelRemoval,
  cancelRollover,
  isBackingOut,
  isRolling,
  mayCancel,
  type SignedZone,
  takenTags,
} from '../../../core/upkeep/signing/zone-lifecycle.ts';
import { type ChangeResult, change } from '../../change/change.ts';
import { editableDomain, ownedDomain, requireMatch } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context, Reply } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { dsPresent } from '../domains/parent-ds.ts';
import { readImportedKeys, requireTrusted } from './given-keys.ts';
import type { dnssecBody, rolloverBody } from './schema.ts';
import { dnssecReply } from './view.ts';

const DEFAULT_ALGORITHM = ALGORITHM.ECDSAP256SHA256;

/** Throws HttpError 404. */
export function describeDnssec({ reader }: Services, { caller, params }: Context<Caller>) {
  const domain = ownedDomain(reader, caller, parseId(params.domain_id));
  return dnssecReply(domain, readSignedZone(reader, domain));
}

/** Throws HttpError 404, InvalidError `bad_algorithm`, `bad_key`, `bad_dnskey`, StateError. */
export function setDnssec(services: Services, context: Context<Caller>, body: BodyOf<typeof dnssecBody>) {
  return body.enabled ? enable(services, context, body) : disable(services, context, body);
}

async function enable(services: Services, context: Context<Caller>, body: BodyOf<typeof dnssecBody>) {
  const { environment, zoneSettings, reader, publicParent } = services;
  const imported = readImportedKeys(body);
  const algorithm = body.algorithm === undefined || imported !== null ? undefined : readAlgorithm(body.algorithm);
  const owned = editableDomain(reader, context.caller, parseId(context.params.domain_id));
  requireShortApex(owned.apex);
  const look = imported === null ? null : await lookAtParent(reader, publicParent, owned, nowSeconds());
  const largestTtl = await findLargestTtl(environment, zoneSettings, owned);
  return changeDnssec(services, context, (draft, domain, zone) => {
    const { id, apex } = domain;
    const now = nowSeconds();
    requireShortApex(apex);
    if (zone === null) {
      requireIdle(draft, domain);
      if (imported !== null) requireTrusted(imported, apex, look);
      // A conflict runs this again, and the private key is wiped.
      const pair = imported === null ? generateKeyPair(algorithm ?? DEFAULT_ALGORITHM) : copyOf(imported.pair);
      const key: DnssecKey = { ...storedKey(services, draft, id, pair), use: 'sign', isTrusted: true };
      const foreign = (imported?.foreign ?? []).map((rdata) => newForeignKey(draft, rdata));
      const row = { domainId: id, algorithm: algorithmOf(pair.dnskey), clock: now, keys: [key], foreign };
      const begun = beginSigning(row, largestTtl, now);
      const detail = { algorithm: row.algorithm, ...(imported !== null && { imported: true }) };
      return { action: 'dnssec.enable', zone: begun, detail };
    }
    if (imported !== null && !isOwnKey(zone, imported.pair))
      throw new StateError(
        'dnssec_on',
        'The zone is signed already, with another key. A key can be imported only while DNSSEC is off.',
      );
    if (algorithm !== undefined && algorithm !== zone.row.algorithm)
      throw badAlgorithm(
        `The zone is signed with algorithm ${zone.row.algorithm}. To change it, start a rollover with the new algorithm.`,
      );
    if (zone.state.phase !== 'removing_ds') return { action: 'dnssec.enable', zone, unchanged: true };
    return { action: 'dnssec.enable', zone: cancelRemoval(zone, largestTtl, now), detail: { algorithm } };
  });
}

async function disable(
  services: Services,
  context: Context<Caller>,
  { algorithm, force = false }: BodyOf<typeof dnssecBody>,
) {
  if (algorithm !== undefined) readAlgorithm(algorithm);
  const look = await queryParent(services, context);
  return changeDnssec(services, context, (draft, domain, zone) => {
    const { apex } = domain;
    const now = nowSeconds();
    if (zone === null) return { action: 'dnssec.disable', zone, unchanged: true };
    const looked = noteResult(zone, apex, look, now);
    if (force && !hasDsNow(looked, look)) {
      requireIdle(draft, domain);
      return { action: 'dnssec.disable', zone: null, detail: { force } };
    }
    if (zone.state.phase === 'removing_ds') return { action: 'dnssec.disable', zone, unchanged: true };
    // In a parent zone of the same account, the commit deletes it.
    if (!force && hasDs(looked) && findOwnParent(draft, domain) === null)
      throw dsPresent(
        apex,
        'Remove it at your registrar first; or send "force": true: then CDS records ask the parent to remove it, and the zone stays signed until it is gone.',
      );
    const removing = beginRemoval(looked, now);
    // While the zone is being signed, the keeper unsigns it later.
    const unsigning = removing ?? (isBusy(draft, domain) ? beginUnsigning(looked, now) : null);
    return { action: 'dnssec.disable', zone: unsigning, ...(force && { detail: { force } }) };
  });
}

/** Queries the parent now. Throws HttpError 404, StateError `dnssec_off`. */
export async function checkParent(services: Services, context: Context<Caller>) {
  const look = await queryParent(services, context);
  return changeDnssec(services, context, (_draft, { apex }, zone) => {
    const now = nowSeconds();
    return { action: 'dnssec.check', zone: advance(noteResult(required(zone), apex, look, now), apex, now) };
  });
}

/** Signs all names again. Throws HttpError 404, StateError `dnssec_off`, `dnssec_rolling`. */
export function resign(services: Services, context: Context<Caller>) {
  return changeDnssec(services, context, (draft, domain, before) => {
    const { row, state } = required(before);
    requireIdle(draft, domain);
    const zone = { row: startResigning(row, { ...row, clock: nowSeconds() }), state };
    return { action: 'dnssec.resign', zone };
  });
}

/**
 * Throws HttpError 404, InvalidError `bad_algorithm`, StateError `dnssec_off`, `dnssec_rolling`,
 * `dnssec_foreign_keys`.
 */
export async function startRollover(
  services: Services,
  context: Context<Caller>,
  { emergency: isEmergency = false, algorithm: requested }: BodyOf<typeof rolloverBody>,
) {
  const { environment, zoneSettings, reader } = services;
  const chosen = requested === undefined ? undefined : readAlgorithm(requested);
  const domain = ownedDomain(reader, context.caller, parseId(context.params.domain_id));
  const largestTtl = await findLargestTtl(environment, zoneSettings, domain);
  return changeDnssec(services, context, (draft, { id }, before) => {
    const now = nowSeconds();
    const zone = required(before);
    requireSteady(zone);
    const algorithm = chosen ?? readAlgorithm(zone.row.algorithm);
    if (algorithm !== zone.row.algorithm) requireReplaceable(zone, isEmergency);
    const key = storedKey(services, draft, id, generateKeyPair(algorithm, takenTags(zone.row)));
    const rolling = beginRollover(zone, key, { isEmergency, largestTtl }, now);
    return { action: 'dnssec.rollover', zone: rolling, detail: { emergency: isEmergency, algorithm } };
  });
}

/** Throws HttpError 404, StateError `dnssec_off`, `dnssec_rolling`. */
export async function stopRollover(services: Services, context: Context<Caller>) {
  const look = await queryParent(services, context);
  return changeDnssec(services, context, (_draft, { apex }, before) => {
    const now = nowSeconds();
    const zone = required(before);
    if (!isRolling(zone) || isBackingOut(zone)) return { action: 'dnssec.cancel', zone, unchanged: true };
    if (!mayCancel(zone))
      throw new StateError(
        'dnssec_rolling',
        'The new key signs the zone already, so the rollover cannot be cancelled; it ends without any action of yours.',
      );
    return { action: 'dnssec.cancel', zone: cancelRollover(noteResult(zone, apex, look, now), apex, now) };
  });
}

interface DnssecChange {
  readonly action: string;
  /** Null: the zone is not signed any more. */
  readonly zone: SignedZone | null;
  readonly unchanged?: boolean;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Changes of one domain run one at a time. Throws HttpError 404. */
function changeDnssec(
  services: Services,
  context: Context<Caller>,
  work: (draft: Draft, domain: Domain, zone: SignedZone | null) => DnssecChange,
) {
  return changeZone(services, context, (draft, domain, before) => {
    const { zone, ...result } = work(draft, domain, before);
    if (result.unchanged !== true) storeZone(services, draft, domain, zone);
    return { ...result, createResponse: () => dnssecReply(domain, zone) };
  });
}

/** Like the above, with any response. Throws HttpError 404 and 412. */
export function changeZone<R extends Reply>(
  services: Services,
  context: Context<Caller>,
  work: (
    draft: Draft,
    domain: Domain,
    zone: SignedZone | null,
  ) => Omit<ChangeResult<R>, 'domain' | 'target'> & Pick<Partial<ChangeResult<R>>, 'target'>,
): Promise<R> {
  const { caller, params } = context;
  const commit = () =>
    change(services, context, (draft) => {
      const domain = editableDomain(draft, caller, parseId(params.domain_id));
      requireMatch(services, draft, domain, context.header('if-match'));
      return { target: domain.id, ...work(draft, domain, readSignedZone(draft, domain)), domain };
    });
  // Concurrent with writes to records, which share the key of the domain; a deletion is exclusive.
  return services.locks.shared(params.domain_id, () => services.locks.exclusive(`${params.domain_id} /dnssec`, commit));
}

export function storeZone({ zoneSettings }: Services, draft: Draft, domain: Domain, zone: SignedZone | null): void {
  storeSignedZone(draft, domain, zone, zoneSettings.nameservers, nowSeconds());
}

/** Null: the zone is not signed. */
async function queryParent(services: Services, { caller, params }: Context<Caller>): Promise<LookResult | null> {
  const { reader, publicParent } = services;
  const domain = ownedDomain(reader, caller, parseId(params.domain_id));
  return readSignedZone(reader, domain) === null ? null : lookAtParent(reader, publicParent, domain, nowSeconds());
}

/** Whether the parent has a DS record, by a query that did not fail. */
function hasDsNow(zone: SignedZone, look: LookResult | null): boolean {
  return look !== null && !isFailed(look) && hasDs(zone);
}

/** Whether the parent had a DS record when it was last queried. */
function hasDs({ state: { parent } }: SignedZone): boolean {
  return parent?.sets.some((set) => set.length > 0) ?? false;
}

export function required(zone: SignedZone | null): SignedZone {
  if (zone !== null) return zone;
  throw new StateError('dnssec_off', 'The zone is not signed; enable DNSSEC first.');
}

function requireSteady({ state: { phase } }: SignedZone): void {
  if (phase === 'secure' || phase === 'awaiting_ds') return;
  throw new StateError(
    'dnssec_rolling',
    phase === 'signing' || phase === 'removing_ds'
      ? `The zone is in the state "${phase}"; a rollover can begin when it is "awaiting_ds" or "secure".`
      : 'A rollover is in progress; wait until it has ended, or cancel it.',
  );
}

/** Throws InvalidError or StateError if another algorithm cannot replace that of the zone now. */
function requireReplaceable({ row: { foreign } }: SignedZone, isEmergency: boolean): void {
  if (isEmergency)
    throw badAlgorithm(
      'A new algorithm cannot be sped up: caches need its signatures first. Replace the key by one with the same algorithm, or omit "emergency".',
    );
  // The other providers do not sign with it (RFC 8901 section 5).
  if (foreign.length > 0)
    throw new StateError(
      'dnssec_foreign_keys',
      'The zone has keys of other providers, which all must have its algorithm. Delete the foreign keys first.',
    );
}

function requireIdle(draft: Draft, domain: Domain): void {
  if (!isBusy(draft, domain)) return;
  throw new StateError(
    'dnssec_rolling',
    'The zone is being signed or unsigned at the moment; send the request again in a minute.',
  );
}

function readAlgorithm(number: number): Algorithm {
  if (isNewAlgorithm(number)) return number;
  throw badAlgorithm(`New keys cannot have algorithm ${number}; use 13 (ECDSA P-256) or 15 (Ed25519).`);
}

const badAlgorithm = (message: string): InvalidError =>
  new InvalidError('bad_algorithm', message, { pointer: '/algorithm' });

/** An NSEC3 owner is the hash label and the apex, which must fit into one name. */
function requireShortApex(apex: Name): void {
  if (apex.length <= MAX_NSEC3_APEX) return;
  throw new InvalidError(
    'invalid_name',
    `The name of this zone is too long to be signed: it has ${apex.length} bytes, and the maximum with NSEC3 is ${MAX_NSEC3_APEX}.`,
  );
}

const isOwnKey = ({ row }: SignedZone, { dnskey }: KeyPair): boolean =>
  row.keys.some((key) => key.dnskey === Buffer.from(dnskey).toString('base64'));

const copyOf = ({ dnskey, privateKey }: KeyPair): KeyPair => ({ dnskey, privateKey: privateKey.slice() });

/** The row of a key of another provider. */
export function newForeignKey(draft: Draft, rdata: Uint8Array): ForeignKey {
  return { id: draft.newId(dnssec), dnskey: Buffer.from(rdata).toString('base64'), createdAt: Date.now() };
}

/** The row of a key. Wipes its private key. */
function storedKey({ secrets }: Services, draft: Draft, domainId: Id, { dnskey, privateKey }: KeyPair) {
  const sealed = secrets.seal(privateKey, dnssecContext(domainId)).toString('base64');
  privateKey.fill(0);
  return {
    id: draft.newId(dnssec),
    dnskey: Buffer.from(dnskey).toString('base64'),
    sealed,
    createdAt: Date.now(),
  };
}
