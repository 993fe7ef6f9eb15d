/** Texts for the owner of a signed zone: the next step, and problems at the parent. */
import { keyTag } from '../../dns/dnssec/dnskey.ts';
import { formatHost, type Name } from '../../dns/wire/name.ts';
import type { DnssecKey } from '../../store/rows.ts';
import { dsMatches } from './parent.ts';
import { hasDs, isBackingOut, nextStepAt, type SignedZone } from './zone-lifecycle.ts';

/** `missing`: some or all servers of the parent lack the DS. */
type DsFault = 'stale' | 'foreign' | 'missing';

type Problem =
  | { readonly code: 'ds_mismatch'; readonly reason: DsFault; readonly message: string }
  | { readonly code: 'parent_unreachable' | 'signing_failed'; readonly reason: null; readonly message: string };

export interface Advice {
  readonly nextStep: string;
  /** Seconds since 1970; null: it depends on the owner or on the parent. */
  readonly nextAt: number | null;
  readonly problem: Problem | null;
}

export function adviseOn(zone: SignedZone, apex: Name): Advice {
  const problem = findParentProblem(zone, apex) ?? describeFault(zone);
  return { nextStep: nextStepOf(zone), nextAt: nextStepAt(zone), problem };
}

function describeFault({ state: { fault } }: SignedZone): Problem | null {
  if (fault === undefined) return null;
  const { node, keyTag: tag, reason } = fault;
  return {
    code: 'signing_failed',
    reason: null,
    message: `The node ${node} could not sign with the key with key tag ${tag}: ${reason}. What was signed before is still served. Tell the operators of the service.`,
  };
}

/** The keys whose DS the parent should have. */
export function wantedKeys({ row }: SignedZone): DnssecKey[] {
  return row.parent === 'delete' ? [] : row.keys.filter(({ isTrusted }) => isTrusted);
}

const tagOf = ({ dnskey }: { readonly dnskey: string }): number => keyTag(Buffer.from(dnskey, 'base64'));
const tagsOf = (keys: readonly DnssecKey[]): string => keys.map(tagOf).join(' and ');

function nextStepOf(zone: SignedZone): string {
  const { row, state } = zone;
  const wanted = wantedKeys(zone);
  const others = row.keys.filter((key) => !wanted.includes(key));
  switch (state.phase) {
    case 'signing':
      return state.servedSince === null
        ? 'Wait: the zone is being signed.'
        : 'Wait until caches have no records without signatures; then add the DS record at your registrar.';
    case 'awaiting_ds':
      return `Add the DS record with key tag ${tagsOf(wanted)} at your registrar.`;
    case 'secure':
      return 'Nothing to do.';
    case 'rolling_sign':
      return state.servedSince === null
        ? 'Wait: the zone is being signed with both algorithms.'
        : 'Wait until caches have no records without signatures of the new algorithm.';
    case 'rolling_publish':
      return state.isEmergency
        ? `Add the DS record with key tag ${tagOf(wanted[1] ?? wanted[0])} at your registrar, and keep the old one for now.`
        : 'Wait: the new key is being published.';
    case 'rolling_ds': {
      if (state.settledSince !== null) return 'Wait until caches have the new DS record.';
      if (isBackingOut(zone) && others.length > 0)
        return `Make sure that the DS record with key tag ${tagsOf(wanted)} is at your registrar, and remove that with key tag ${tagsOf(others)}.`;
      return `Replace the DS record at your registrar: add key tag ${tagsOf(wanted)}, and remove key tag ${tagsOf(others)}.`;
    }
    case 'rolling_withdraw':
      return 'Wait until caches have no DNSKEY record of the key that is being removed.';
    case 'rolling_resign':
      return row.keys.some(({ use }) => use === 'none')
        ? 'Wait: the signatures of the key that is being removed are being deleted.'
        : 'Wait: the zone is being signed with the new key.';
    case 'retire':
      return 'Wait until caches have no signatures of the old key; then it is removed.';
    case 'removing_ds':
      return state.settledSince === null
        ? 'Remove all DS records of the domain at your registrar; the zone stays signed until then.'
        : 'Wait until caches have no DS record; then the zone is no longer signed.';
    default:
      return state.phase satisfies never;
  }
}

/** Classifies a DS of the parent: of a current, a former or an unknown key. */
function kindOf({ row, state }: SignedZone, apex: Name, ds: string): 'ours' | 'stale' | 'foreign' {
  const rdata = Buffer.from(ds, 'hex');
  const matches = (dnskey: string): boolean => dsMatches(rdata, apex, Buffer.from(dnskey, 'base64'));
  if (row.keys.some(({ dnskey }) => matches(dnskey)) || row.foreign.some(({ dnskey }) => matches(dnskey)))
    return 'ours';
  return state.retired.some(matches) ? 'stale' : 'foreign';
}

const describeDs = (ds: string): string => {
  const rdata = Buffer.from(ds, 'hex');
  return `key tag ${rdata.readUInt16BE(0)}, algorithm ${rdata[2]}`;
};

/** Null: there is no problem at the parent. */
export function findParentProblem(zone: SignedZone, apex: Name): Problem | null {
  const { row, state } = zone;
  if (state.trouble !== null)
    return {
      code: 'parent_unreachable',
      reason: null,
      message: `The nameservers of the parent zone cannot be asked for the DS record: ${state.trouble}.`,
    };
  const { parent, phase } = state;
  if (parent === null || phase === 'removing_ds') return null;
  const name = formatHost(apex);
  const sets = parent.sets;
  const trusted = wantedKeys(zone);
  // Other providers of a multi-signer zone have their own keys (RFC 8901).
  const others = [...new Set(sets.flat())].filter((ds) => kindOf(zone, apex, ds) !== 'ours');
  const isValid = sets.every((set) => set.length === 0 || row.keys.some((key) => hasDs(set, apex, key)));
  const consequence = isValid
    ? 'Remove it at your registrar.'
    : `Validating resolvers reject answers for ${name}: replace it at your registrar with the DS record shown here.`;
  const stale = others.find((ds) => kindOf(zone, apex, ds) === 'stale');
  if (stale !== undefined)
    return mismatch(
      'stale',
      `The parent zone still has the DS record of a former key (${describeDs(stale)}). ${consequence}`,
    );
  if (others.length > 0 && row.foreign.length === 0)
    return mismatch(
      'foreign',
      `The parent zone has a DS record of an unknown key (${describeDs(others[0])}). ${consequence}`,
    );
  const lacking = sets.filter((set) => !row.keys.some((key) => hasDs(set, apex, key)));
  const mayLack = phase === 'signing' || (phase === 'awaiting_ds' && state.dsTtl === 0);
  if (lacking.length === 0 || mayLack) return null;
  return mismatch(
    'missing',
    lacking.length === sets.length
      ? `The parent zone has no DS record for ${name}, so answers are not validated. Add the DS record with key tag ${tagsOf(trusted)} at your registrar.`
      : `Some nameservers of the parent zone have no DS record for ${name}. This is normal for some hours after a change.`,
  );
}

const mismatch = (reason: DsFault, message: string): Problem => ({ code: 'ds_mismatch', reason, message });
