/**
 * How far a zone has come with its keys, and what its parent zone has. Apart from the row that says
 * how the zone is signed: a change here signs nothing again.
 *
 * dueAt (5) · phase (1) · problem (1) · JSON, so that a scan finds what is due without decoding.
 */
import { type Id, idKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

/** The numbers are in the rows. */
export const DNSSEC_PHASES = [
  'signing',
  'awaiting_ds',
  'secure',
  'rolling_publish',
  'rolling_ds',
  'rolling_resign',
  'retire',
  'removing_ds',
] as const;
export type DnssecPhase = (typeof DNSSEC_PHASES)[number];

/** The DS records of a zone at the nameservers of its parent. */
export interface ParentLook {
  /** The parent zone, without the last dot; empty for the root. */
  readonly zone: string;
  /** The different sets of DS rdata (hexadecimal, sorted) that servers have. */
  readonly sets: readonly (readonly string[])[];
  /** The longest TTL of these sets, in seconds; 0 without any DS. */
  readonly ttl: number;
  readonly servers: number;
  /** Servers that answered. */
  readonly answered: number;
  /** Seconds since 1970. */
  readonly checkedAt: number;
}

/** A key or signature that a node found wrong and did not use. */
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
  /** When the phase began. */
  readonly since: number;
  /** Since when every node serves what the phase signs; null: some do not yet. */
  readonly servedSince: number | null;
  /** The key is replaced at once, with short margins. */
  readonly isEmergency: boolean;
  /** The longest TTL of the zone's records, in seconds. */
  readonly largestTtl: number;
  /** The advice was to add a DS. */
  readonly hasRequestedDs: boolean;
  /** The longest TTL that a DS of the zone had, in seconds; 0: there never was one. */
  readonly dsTtl: number;
  /** Since when the parent has what the phase waits for; null: it does not. */
  readonly settledSince: number | null;
  /** The last look at the parent that at least one server answered. */
  readonly parent: ParentLook | null;
  /** Why the last look failed. */
  readonly trouble: string | null;
  /** When the last look ended, whatever its result. */
  readonly lookedAt: number | null;
  /** When the parent is looked at again. */
  readonly lookAt: number;
  /** DNSKEY rdata (base64) of the last keys that were removed. */
  readonly retired: readonly string[];
  /** The last fault of a day. */
  readonly fault?: NotedFault;
}

/** What a scan needs of a row. */
export interface DnssecStateHead {
  readonly dueAt: number;
  readonly phase: DnssecPhase;
  readonly hasProblem: boolean;
}

/** The row with what is derived from it: see core/upkeep/signing. */
export interface StoredDnssecState extends DnssecState {
  /** When something is to be done. */
  readonly dueAt: number;
  /** The parent has a DS that does not match, or lacks one, or cannot be asked. */
  readonly hasProblem: boolean;
}

const HEAD_LENGTH = 7;

export const dnssecStates = table<StoredDnssecState>({
  number: 24,
  name: 'dnssec_states',
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
});

export function dnssecStateHead(value: Uint8Array): DnssecStateHead {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return { dueAt: bytes.readUIntBE(0, 5), phase: DNSSEC_PHASES[bytes[5]], hasProblem: bytes[6] === 1 };
}
