/** Converts the state of a signed zone from rows to responses. */
import { dsRdata, keyTag } from '../../../core/dns/dnssec/dnskey.ts';
import { earliestExpiry } from '../../../core/dns/dnssec/lifetime.ts';
import { formatHost, formatName, type Name } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { oldestClock } from '../../../core/journal/signing/progress.ts';
import type { DnssecKey, Domain, ForeignKey } from '../../../core/store/rows.ts';
import { type Advice, adviseOn, wantedKeys } from '../../../core/upkeep/signing/advice.ts';
import {
  algorithmOfKey,
  isBackingOut,
  mayCancel,
  type SignedZone,
  signingKey,
} from '../../../core/upkeep/signing/zone-lifecycle.ts';
import { formatTime } from '../../http/time.ts';

/** TTL of records in responses; parents use their own. */
const TTL = 3600;

/** The response of the DNSSEC endpoints. `zone` null: not signed. */
export function dnssecReply(domain: Domain, zone: SignedZone | null) {
  const shown = { id: domain.id, domain: formatHost(domain.apex) };
  if (zone === null) return { domain: shown, ...OFF };
  const { row, state } = zone;
  const { apex } = domain;
  const advice = adviseOn(zone, apex);
  const wanted = wantedKeys(zone).map(({ dnskey }) => Uint8Array.from(Buffer.from(dnskey, 'base64')));
  const ds = wanted.map((key) => viewDs(apex, dsRdata(apex, key)));
  return {
    domain: shown,
    status: state.phase,
    algorithm: row.algorithm,
    next_step: advice.nextStep,
    next_at: timeOrNull(advice.nextAt),
    keys: row.keys.map((key) => viewKey(zone, key, advice)),
    ds,
    dnskey: wanted.map((key) => viewDnskey(apex, key)),
    parent: viewParent(zone),
    signatures: { earliest_expiry: formatTime(earliestExpiry(oldestClock(row))) },
    error: advice.problem,
    instructions: instructionsFor(zone, advice, ds.length),
  };
}

const OFF = {
  status: 'off',
  algorithm: null,
  next_step: null,
  next_at: null,
  keys: [],
  ds: [],
  dnskey: [],
  parent: null,
  signatures: { earliest_expiry: null },
  error: null,
  instructions: ['The zone is not signed. Enable DNSSEC to sign it.'],
} as const;

const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));

function viewDs(apex: Name, rdata: Uint8Array) {
  const bytes = Buffer.from(rdata);
  return {
    key_tag: bytes.readUInt16BE(0),
    algorithm: bytes[2],
    digest_type: bytes[3],
    digest: bytes.toString('hex', 4),
    record: `${formatName(apex)} ${TTL} IN DS ${formatRdata(TYPE.DS, rdata)}`,
  };
}

function viewDnskey(apex: Name, rdata: Uint8Array) {
  const bytes = Buffer.from(rdata);
  return {
    key_tag: keyTag(rdata),
    flags: bytes.readUInt16BE(0),
    protocol: bytes[2],
    algorithm: bytes[3],
    public_key: bytes.toString('base64', 4),
    record: `${formatName(apex)} ${TTL} IN DNSKEY ${formatRdata(TYPE.DNSKEY, rdata)}`,
  };
}

function viewKey(zone: SignedZone, key: DnssecKey, { nextStep, nextAt }: Advice) {
  const state = stateOf(zone, key);
  const isStill = state === 'active';
  return {
    id: key.id,
    key_tag: keyTag(Buffer.from(key.dnskey, 'base64')),
    algorithm: algorithmOfKey(key),
    state,
    next_step: isStill ? null : nextStep,
    next_at: isStill ? null : timeOrNull(nextAt),
    created_at: formatTime(Math.floor(key.createdAt / 1000)),
  };
}

function stateOf(zone: SignedZone, key: DnssecKey): 'active' | 'incoming' | 'outgoing' {
  if (key === signingKey(zone.row)) return 'active';
  return mayCancel(zone) && !isBackingOut(zone) ? 'incoming' : 'outgoing';
}

function viewParent({ state: { parent } }: SignedZone) {
  if (parent === null) return null;
  const all = [...new Set(parent.sets.flat())].sort();
  return {
    zone: parent.zone,
    ds: all.map((hex) => formatRdata(TYPE.DS, Buffer.from(hex, 'hex'))),
    servers: parent.servers,
    answered: parent.answered,
    checked_at: formatTime(parent.checkedAt),
  };
}

function instructionsFor({ state: { phase } }: SignedZone, { nextStep, nextAt }: Advice, dsCount: number): string[] {
  const when = nextAt === null ? nextStep : `${nextStep} Expected at ${formatTime(nextAt)} UTC.`;
  if (phase === 'removing_ds')
    return [
      when,
      'Registrars that read CDS or CDNSKEY records remove the DS records automatically (RFC 8078).',
      'Use "check" after the change, or wait: the nameservers of the parent zone are asked every hour.',
    ];
  const records = dsCount === 1 ? 'the DS record' : 'the DS records';
  return [
    when,
    `At your registrar, open the DNSSEC settings of the domain and enter ${records} shown in "ds": key tag, algorithm, digest type and digest.`,
    'If the form has no digest, enter the key shown in "dnskey" instead: flags, protocol, algorithm and public key.',
    'Registrars that read CDS or CDNSKEY records set the DS records automatically (RFC 7344).',
    'Use "check" after the change, or wait: the nameservers of the parent zone are asked every hour.',
  ];
}

export function viewForeignKey({ id, dnskey, createdAt }: ForeignKey) {
  const rdata = Buffer.from(dnskey, 'base64');
  return {
    id,
    key_tag: keyTag(rdata),
    algorithm: rdata[3],
    dnskey: formatRdata(TYPE.DNSKEY, rdata),
    created_at: formatTime(Math.floor(createdAt / 1000)),
  };
}
