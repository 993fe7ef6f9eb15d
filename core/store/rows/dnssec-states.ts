/**
 * The phase of a zone's keys, and the DS records of its parent zone. Separate from the table
 * `dnssec`, so that a change here does not re-sign the zone.
 *
 * dueAt (5) · phase (1) · problem (1) · JSON. A scan finds due rows without decoding JSON.
 */
import { type Id, idKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

/** Rows store the index of a phase, so the order must not change. */
export const DNSSEC_PHASES = [
  'signing',
  'awaiting_ds',
  'secure',
  'rolling_publish',
  'rolling_ds',
  'rolling_resign',
  'retire',
  'removing_ds',
  'rolling_sign',
  'rolling_withdraw',
] as const;
export type DnssecPhase = (typeof DNSSEC_PHASES)[number];
/** The number of phases in the first feature level. */
const FIRST_PHASES = DNSSEC_PHASES.indexOf('rolling_sign');

/** The DS records of a zone at the nameservers of its parent. */
export interface ParentLook {
  /** The parent zone, without the trailing dot; empty for the root. */
  readonly zone: string;
  /** The distinct DS sets of the servers (rdata in hexadecimal, sorted). */
  readonly sets: readonly (readonly string[])[];
  /** The highest TTL of these sets, in seconds; 0 without any DS. */
  readonly ttl: number;
  readonly servers: number;
  /** Servers that answered. */
  readonly answered: number;
  /** Seconds since 1970. */
  readonly checkedAt: number;
}

/** A key or signature that a node found invalid and did not use. */
export interface NotedFault {
  /** Seconds since 1970. */
  readonly at: number;
  /** Name of the node. */
  readonly node: string;
  readonly keyTag: number;
  /** A sentence. */
  readonly reason: string;
}

/** All times are seconds since 1970. */
export interface DnssecState {
  readonly domainId: Id;
  readonly phase: DnssecPhase;
  /** When the phase started. */
  readonly since: number;
  /** Since when every node serves the signatures of the phase; null: some do not yet. */
  readonly servedSince: number | null;
  /** An emergency rollover, with short margins. */
  readonly isEmergency: boolean;
  /** The highest TTL of the zone's records, in seconds. */
  readonly largestTtl: number;
  /** The customer was advised to add a DS. */
  readonly hasRequestedDs: boolean;
  /** The highest TTL ever seen of a DS of the zone, in seconds; 0: no DS was ever seen. */
  readonly dsTtl: number;
  /** Since when the parent meets the condition of the phase; null: it does not. */
  readonly settledSince: number | null;
  /** The last check of the parent that at least one server answered; null: none. */
  readonly parent: ParentLook | null;
  /** Why the last check failed; null: it did not. */
  readonly trouble: string | null;
  /** When the last check ended, whatever its result; null: none yet. */
  readonly lookedAt: number | null;
  /** Time of the next check of the parent. */
  readonly lookAt: number;
  /** DNSKEY rdata (base64) of the most recently removed keys. */
  readonly retired: readonly string[];
  /** The last fault. It is deleted after a day without another; omitted: none. */
  readonly fault?: NotedFault;
}

/** The part of a row that a scan reads. */
export interface DnssecStateHead {
  readonly dueAt: number;
  readonly phase: DnssecPhase;
  readonly hasProblem: boolean;
}

/** The row with its derived fields: see core/upkeep/signing. */
export interface StoredDnssecState extends DnssecState {
  /** Time of the next action. */
  readonly dueAt: number;
  /** The parent has a wrong DS, lacks one, or cannot be queried. */
  readonly hasProblem: boolean;
}

const HEAD_LENGTH = 7;

export const dnssecStates = table<StoredDnssecState>({
  number: 24,
  name: 'dnssec_states',
  quota: { none: 'one for each domain' },
  key: ({ domainId }) => idKey(domainId),
  encode({ dueAt, hasProblem, ...state }) {
    const head = Buffer.alloc(HEAD_LENGTH);
    head.writeUIntBE(Math.max(0, Math.floor(dueAt)), 0, 5);
    head[5] = DNSSEC_PHASES.indexOf(state.phase);
    head[6] = hasProblem ? 1 : 0;
    return Buffer.concat([head, json(state)]);
  },
  decode: (_key, value) => {
    const { dueAt, hasProblem } = dnssecStateHead(value);
    return { ...unjson<DnssecState>(value.subarray(HEAD_LENGTH)), dueAt, hasProblem };
  },
  lookupsFromKey: true,
  levelOf: (_key, value) => (value[5] < FIRST_PHASES ? 0 : 6),
});

export function dnssecStateHead(value: Uint8Array): DnssecStateHead {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return { dueAt: bytes.readUIntBE(0, 5), phase: DNSSEC_PHASES[bytes[5]], hasProblem: bytes[6] === 1 };
}
