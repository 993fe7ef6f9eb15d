/**
 * Steered record sets: one document for each owner name and type, with pools of answers, rules that
 * choose a pool by the client, and the order of fall-back. The record rows of the set are its plain
 * choice, which transfers, exports and chains have. The content is validated on write
 * (admin-api/zones/steering) and compiled into the node of the name (core/zone/steering).
 */
import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { type Id, idAt, idKey, nameOfKey, recordsOfType } from '../keys.ts';
import type { Audit } from './requests.ts';
import { json, table, unjson } from './table.ts';

/** A check of each answer of a pool. Times in seconds. */
export interface SteeringHealth {
  readonly type: 'http' | 'https' | 'tcp';
  readonly port: number;
  /** Of the request and the TLS handshake; null: the owner name. */
  readonly host: string | null;
  readonly path: string;
  /** Null: 200 to 399. */
  readonly status: number | null;
  readonly interval: number;
  readonly timeout: number;
  readonly rise: number;
  readonly fall: number;
}

export interface SteeringAnswer {
  /** In presentation form, with absolute names. */
  readonly content: string;
  /** 0: never chosen. */
  readonly weight: number;
}

export interface SteeringPool {
  readonly name: string;
  readonly answers: readonly SteeringAnswer[];
  /** Null: the answers are not checked. */
  readonly health: SteeringHealth | null;
}

/** Conditions that must all hold; of the values of one, any. Empty lists always hold. */
export interface SteeringMatch {
  /** ISO 3166 codes of two letters, in upper case. */
  readonly country: readonly string[];
  /** AF, AN, AS, EU, NA, OC or SA. */
  readonly continent: readonly string[];
  /** Prefixes. */
  readonly network: readonly string[];
  /** Regions of nodes (`peer.region`). */
  readonly region: readonly string[];
}

export interface SteeringContent {
  readonly ttl: number;
  readonly pools: readonly SteeringPool[];
  /** In order. `pool`: a name of `pools`. */
  readonly rules: readonly { readonly match: SteeringMatch; readonly pool: string }[];
  /** Names of pools, in order. */
  readonly fallback: readonly string[];
}

export interface Steering {
  readonly domainId: Id;
  /** Owner name, absolute wire form in lower case. */
  readonly name: Name;
  readonly type: number;
  /** 1 for the first content, then increasing by 1, also after a deletion. */
  readonly revision: number;
  /** Seconds since 1970. */
  readonly updatedAt: number;
  /** The author, with the names at that time. */
  readonly actor: Omit<NonNullable<Audit['actor']>, 'tokenId'>;
  readonly content: SteeringContent;
}

/** The types of record sets that can be steered. */
export const STEERED_TYPES: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.CNAME, TYPE.ALIAS]);

/** Nodes without it serve only the plain choice. */
const STEERING_LEVEL = 6;

const encode = ({ revision, updatedAt, actor, content }: Steering): Buffer =>
  json({ revision, updatedAt, actor, content });

function decode(key: Uint8Array, value: Uint8Array, tail: number): Steering {
  const typeAt = key.length - tail - 2;
  return {
    domainId: idAt(key),
    name: nameOfKey(key, 8, typeAt - 1),
    type: (key[typeAt] << 8) | key[typeAt + 1],
    ...unjson<Pick<Steering, 'revision' | 'updatedAt' | 'actor' | 'content'>>(value),
  };
}

export const steerings = table<Steering>({
  number: 57,
  name: 'steerings',
  quota: 'zone',
  concerns: 'edge',
  level: STEERING_LEVEL,
  key: ({ domainId, name, type }) => recordsOfType(domainId, name, type),
  encode,
  decode: (key, value) => decode(key, value, 0),
  lookupsFromKey: true,
});

/** Earlier revisions, also of deleted documents, by revision number. */
export const steeringVersions = table<Steering>({
  number: 58,
  name: 'steering_versions',
  quota: 'zone',
  level: STEERING_LEVEL,
  key: ({ domainId, name, type, revision }) => Buffer.concat([recordsOfType(domainId, name, type), idKey(revision)]),
  encode,
  decode: (key, value) => decode(key, value, 8),
  lookupsFromKey: true,
});
