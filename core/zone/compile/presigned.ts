/**
 * A presigned zone: its primary has signed it. Its own records supply the signatures and the denial
 * of names. This server signs nothing and does not add what is missing.
 */
import { hashSalted, NSEC3_HASH_LENGTH, type Nsec3Parameters } from '../../dns/dnssec/nsec3.ts';
import type { Name } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { DENIAL, HASH_LENGTH, hashOffset, NODE_FLAGS_AT, NODE_HAS_BELOW, NODE_PRESIGNED } from '../../store/answers.ts';
import { sortRdatas } from './memory.ts';
import type { PresignedDenial, ZoneSigner } from './signer.ts';
import { findType, NO_RRSETS, type ZoneRRset, type ZoneView } from './view.ts';

/**
 * Maximum additional iterations of NSEC3. Zones with more than `secondary.max_nsec3_iterations` are
 * no longer transferred. Answers from zones that were transferred earlier are limited by cost
 * (core/zone/answer/presigned-denial.ts). This is not a setting, since all nodes must use the same
 * value.
 */
export const MAX_ITERATIONS = 500;

/** The hash algorithm SHA-1 (RFC 5155 section 11). */
const SHA1 = 1;
/** Bytes of NSEC3PARAM and NSEC3 rdata before the salt (RFC 5155 sections 3.2 and 4.2). */
const SALT_AT = 5;

const NO_HASH = new Uint8Array(NSEC3_HASH_LENGTH);

/** How a zone with these RRsets at its apex denies names. Null: its primary has not signed it. */
export function denialOf(apexSets: readonly RRset[]): PresignedDenial | null {
  const isSigned = findType(apexSets, TYPE.DNSKEY) !== undefined && findType(apexSets, TYPE.RRSIG) !== undefined;
  if (!isSigned) return null;
  // With both, NSEC3 denies names while the zone changes to it (RFC 5155 section 10.4).
  const parameters = findType(apexSets, TYPE.NSEC3PARAM);
  for (const rdata of parameters?.rdatas ?? []) {
    const hashing = parametersOf(rdata);
    // With flags other than zero, the chain is incomplete (section 4.1.2).
    if (hashing !== null && rdata[1] === 0 && hashing.iterations <= MAX_ITERATIONS) return { kind: 'nsec3', hashing };
  }
  if (findType(apexSets, TYPE.NSEC) !== undefined) return { kind: 'nsec' };
  return { kind: 'none' };
}

/**
 * Reads the parameters at the start of the rdata of NSEC3 or NSEC3PARAM. Null: the hash algorithm
 * is not SHA-1.
 */
export function parametersOf(rdata: Uint8Array): Nsec3Parameters | null {
  if (rdata.length < SALT_AT || rdata[0] !== SHA1 || rdata.length < SALT_AT + rdata[4]) return null;
  const salt = Uint8Array.prototype.slice.call(rdata, SALT_AT, SALT_AT + rdata[4]);
  return { iterations: (rdata[2] << 8) | rdata[3], salt };
}

export function isSameDenial(a: PresignedDenial | null, b: PresignedDenial | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind !== 'nsec3' || b.kind !== 'nsec3') return a.kind === b.kind;
  return a.hashing.iterations === b.hashing.iterations && Buffer.compare(a.hashing.salt, b.hashing.salt) === 0;
}

/** How the zone of an apex node denies names. Null: it is not presigned. */
export function denialOfNode(node: Buffer | undefined): PresignedDenial | null {
  if (node === undefined || (node[NODE_FLAGS_AT] & NODE_PRESIGNED) === 0) return null;
  const at = hashOffset(node, 0);
  if (node[at] !== DENIAL.NSEC3) return { kind: node[at] === DENIAL.NSEC ? 'nsec' : 'none' };
  const parameters = at + 1 + ((node[NODE_FLAGS_AT] & NODE_HAS_BELOW) === 0 ? 1 : 2) * HASH_LENGTH;
  const iterations = node.readUInt16BE(parameters);
  const salt = Uint8Array.from(node.subarray(parameters + 3, parameters + 3 + node[parameters + 2]));
  return { kind: 'nsec3', hashing: { iterations, salt } };
}

/** Whether NSEC3 rdata belongs to the chain with these parameters. */
export function isOfChain(rdata: Uint8Array, { iterations, salt }: Nsec3Parameters): boolean {
  const own = parametersOf(rdata);
  return own !== null && own.iterations === iterations && Buffer.compare(own.salt, salt) === 0;
}

/**
 * Types that are not answered from their own records. They accompany the RRsets that they sign, or
 * deny names.
 */
export const isHidden = (type: number): boolean => type === TYPE.RRSIG || type === TYPE.NSEC3;

/**
 * The zone without RRSIG and NSEC3, which decides whether a name exists. An NSEC3 record does not
 * make its owner exist (RFC 5155 section 7.2.8).
 */
export class PresignedView implements ZoneView {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;
  readonly #zone: ZoneView;
  #lastSets: readonly ZoneRRset[] = NO_RRSETS;
  #lastShown: readonly ZoneRRset[] = NO_RRSETS;

  constructor(zone: ZoneView) {
    this.#zone = zone;
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
  }

  rrsets(name: Name): readonly ZoneRRset[] {
    const sets = this.#zone.rrsets(name);
    if (sets === this.#lastSets) return this.#lastShown;
    this.#lastSets = sets;
    this.#lastShown = sets.some(({ type }) => isHidden(type)) ? sets.filter(({ type }) => !isHidden(type)) : sets;
    return this.#lastShown;
  }

  hasBelow(name: Name): boolean {
    // Of names below an apex, only NSEC3 records may be left.
    return name.length === this.apex.length || this.#zone.hasBelow(name);
  }

  isNested(name: Name): boolean {
    return this.#zone.isNested(name);
  }
}

/** Returns the signatures of a presigned zone. */
export class PresignedSigner implements ZoneSigner {
  readonly isComplete = true;
  readonly denial: PresignedDenial;
  readonly #signaturesAt: (owner: Name) => readonly RRset[];

  /**
   * `signaturesAt`: returns the RRSIG RRsets of an owner, one for each TTL. RRsets of other types
   * are ignored.
   */
  constructor(denial: PresignedDenial, signaturesAt: (owner: Name) => readonly RRset[]) {
    this.denial = denial;
    this.#signaturesAt = signaturesAt;
  }

  /** All signatures over the RRset, of any algorithm and key (RFC 4035 section 3.1). */
  sign(owner: Name, { type, ttl }: RRset): RRset {
    return signaturesOver(this.#signaturesAt(owner), type, ttl);
  }

  hash(name: Name): Uint8Array {
    return this.denial.kind === 'nsec3' ? hashSalted(name, this.denial.hashing) : NO_HASH;
  }
}

/** The RRSIG records that cover a type. `ttl`: used if there are none. */
export function signaturesOver(sets: readonly RRset[], type: number, ttl: number): RRset {
  let ownTtl = ttl;
  const rdatas: Uint8Array[] = [];
  for (const set of sets) {
    if (set.type !== TYPE.RRSIG) continue;
    for (const rdata of set.rdatas) {
      if (((rdata[0] << 8) | rdata[1]) !== type) continue;
      ownTtl = set.ttl;
      rdatas.push(rdata);
    }
  }
  sortRdatas(rdatas);
  return { type: TYPE.RRSIG, ttl: ownTtl, rdatas };
}
