/**
 * The addresses of an ALIAS target: through our own zones as far as they lead, then from a
 * resolver; addresses that are not public are dropped.
 */

import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { type Exemptions, formatAddress, mayConnect, parseAddress } from '../../net/address/index.ts';
import type { Lookup } from '../../net/resolver/resolver.ts';
import type { Id } from '../../store/keys.ts';
import type { Cluster } from '../../zone/compile/settings.ts';
import { findType } from '../../zone/compile/view.ts';
import { type OwnZones, Trail } from './own-zones.ts';

/** Addresses of one family that are served; what there are more is left out. */
const MAX_ADDRESSES = 32;
/** Times that the chain may leave our zones. */
const MAX_LEAVES = 4;
/**
 * Names of others that are watched, in case one becomes ours: the first of a chain. For those
 * behind, the next look does.
 */
const MAX_WATCHED = 4;

/**
 * `isOwn`: read from our own zones, so there is nothing to confirm, and changes tell themselves.
 * `note`: what the customer should know.
 */
export type FamilyResult =
  | {
      readonly kind: 'addresses';
      /** Rdata as hexadecimal text, in canonical order. */
      readonly addresses: readonly string[];
      readonly ttl: number;
      readonly isOwn: boolean;
      readonly note: string | null;
    }
  | {
      readonly kind: 'none';
      readonly ttl: number;
      readonly isOwn: boolean;
      readonly note: string;
      /** There are addresses, none of which may be answered. */
      readonly isDropped: boolean;
    }
  | { readonly kind: 'failed'; readonly isOwn: boolean; readonly error: string };

export interface TargetResult {
  readonly a: FamilyResult;
  readonly aaaa: FamilyResult;
}

export class TargetLookup {
  readonly #own: OwnZones;
  readonly #lookup: Lookup;
  readonly #exemptions: Exemptions;
  /** Of the cluster, which serve proxied names whatever range they are in. */
  readonly #cluster: ReadonlySet<string>;
  /** Addresses that were dropped. */
  dropped = 0;

  constructor(own: OwnZones, lookup: Lookup, exemptions: Exemptions, cluster: Cluster) {
    this.#own = own;
    this.#lookup = lookup;
    this.#exemptions = exemptions;
    this.#cluster = new Set([...cluster.ipv4, ...cluster.ipv6].map((text) => hex(parseAddress(text) ?? NOTHING)));
  }

  /**
   * `account`: whose zones are followed in the store. `onVisit` receives the names that the
   * chains go through, ours and others, before they are looked at; `onStep` all names to which a
   * resolver's CNAMEs lead.
   */
  async run(
    target: Name,
    account: Id | null,
    onVisit: (name: Name) => void,
    onStep: (name: Name) => void = () => {},
  ): Promise<TargetResult> {
    const [a, aaaa] = await Promise.all([
      this.#family(target, TYPE.A, account, new Trail(onVisit), onStep),
      this.#family(target, TYPE.AAAA, account, new Trail(onVisit), onStep),
    ]);
    return { a, aaaa };
  }

  async #family(
    target: Name,
    type: number,
    account: Id | null,
    trail: Trail,
    onStep: (name: Name) => void,
  ): Promise<FamilyResult> {
    let name = target;
    let isOwn = true;
    for (let leaves = 0; leaves < MAX_LEAVES; leaves++) {
      const end = this.#own.follow(name, trail, account);
      if (end.kind === 'failed') return { kind: 'failed', isOwn, error: end.error };
      if (end.kind === 'missing') return { kind: 'none', ttl: 0, isOwn, note: NO_NAME, isDropped: false };
      if (end.kind === 'sets') {
        const set = findType(end.sets, type);
        if (set === undefined) return { kind: 'none', ttl: 0, isOwn, note: noAddress(type), isDropped: false };
        return this.#public(set.rdatas, Math.min(trail.ttl, set.ttl), isOwn);
      }
      isOwn = false;
      const outcome = await this.#lookup(end.name, type);
      if (outcome.kind === 'failed') return { kind: 'failed', isOwn, error: outcome.error };
      for (const step of outcome.chain) onStep(step.name);
      const back = outcome.chain.find((step) => this.#own.isOf(account, step.name));
      if (back === undefined) {
        for (const step of outcome.chain.slice(0, MAX_WATCHED)) trail.visit(step.name);
        const ttl = Math.min(trail.ttl, outcome.ttl);
        if (outcome.kind === 'addresses') return this.#public(outcome.addresses, ttl, isOwn);
        return { kind: 'none', ttl, isOwn, note: outcome.missing ? NO_NAME : noAddress(type), isDropped: false };
      }
      // What a resolver says of our own names may be as old as their TTL, and is our own ALIAS when
      // they are in a loop.
      if (!trail.use(end.name, back.ttl)) break;
      name = back.name;
    }
    return { kind: 'failed', isOwn, error: 'the target is a loop, or has too many CNAMEs' };
  }

  #public(rdatas: readonly Uint8Array[], ttl: number, isOwn: boolean): FamilyResult {
    const kept = new Set<string>();
    let note: string | null = null;
    for (const rdata of rdatas) {
      const text = hex(rdata);
      const verdict = mayConnect(rdata, this.#exemptions);
      if (verdict.public || this.#cluster.has(text)) kept.add(text);
      else {
        this.dropped++;
        note ??= `${formatAddress(rdata)} ${verdict.reason}, and is not served`;
      }
    }
    // Equal lengths, so that the order of the text is that of the bytes (RFC 4034 6.3).
    const addresses = [...kept].sort().slice(0, MAX_ADDRESSES);
    if (kept.size > MAX_ADDRESSES) note ??= `only ${MAX_ADDRESSES} of ${kept.size} addresses are served`;
    if (addresses.length > 0) return { kind: 'addresses', addresses, ttl, isOwn, note };
    return {
      kind: 'none',
      ttl,
      isOwn,
      note: note ?? noAddress(rdatas[0]?.length === 16 ? TYPE.AAAA : TYPE.A),
      isDropped: note !== null,
    };
  }
}

const NOTHING = new Uint8Array(0);
const NO_NAME = 'the target does not exist';
const noAddress = (type: number): string => `the target has no ${type === TYPE.A ? 'A' : 'AAAA'} records`;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

/** For the metrics. */
export function kindOf({ a, aaaa }: TargetResult): 'resolved' | 'empty' | 'failed' {
  if (a.kind === 'addresses' || aaaa.kind === 'addresses') return 'resolved';
  return a.kind === 'none' && aaaa.kind === 'none' ? 'empty' : 'failed';
}

/**
 * What the customer should know: failures first, then why there is nothing, or less. One family
 * without addresses is no error.
 */
export function errorOf({ a, aaaa }: TargetResult): string | null {
  const both = [a, aaaa];
  for (const result of both) if (result.kind === 'failed') return `${result === a ? 'A' : 'AAAA'}: ${result.error}`;
  for (const result of both) if (result.kind === 'addresses' && result.note !== null) return result.note;
  if (a.kind !== 'none' || aaaa.kind !== 'none') return dropped(a) ?? dropped(aaaa);
  return a.note === aaaa.note ? a.note : `${a.note}; ${aaaa.note}`;
}

/** A note that tells of addresses which are there, and are not answered. */
function dropped(result: FamilyResult): string | null {
  return result.kind === 'none' && result.isDropped ? result.note : null;
}
