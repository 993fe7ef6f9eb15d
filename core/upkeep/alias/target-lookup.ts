/**
 * Looks up the addresses of an ALIAS target: in our own zones as far as the chain stays in them,
 * then with a resolver. Addresses that are not public are dropped.
 */

import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { type Exemptions, formatAddress, mayConnect, parseAddress } from '../../net/address/index.ts';
import type { Lookup } from '../../net/resolver/resolver.ts';
import type { Id } from '../../store/keys.ts';
import type { Cluster } from '../../zone/compile/settings.ts';
import { findType } from '../../zone/compile/view.ts';
import { type OwnZones, Trail } from './own-zones.ts';

/** Maximum of served addresses of one family. */
const MAX_ADDRESSES = 32;
/** Maximum of times that the chain may leave our zones. */
const MAX_LEAVES = 4;
/**
 * Maximum of foreign names of a chain that are watched, in case we get a zone for them. The next
 * lookup notices such a zone for later names of the chain.
 */
const MAX_WATCHED = 4;

/**
 * `isOwn`: read from our own zones, which need no confirmation and report their changes. `note`: a
 * message for the customer.
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
      /** The target has addresses, but none of them may be served. */
      readonly isDropped: boolean;
    }
  | { readonly kind: 'failed'; readonly isOwn: boolean; readonly error: string };

export interface TargetResult {
  readonly a: FamilyResult;
  readonly aaaa: FamilyResult;
}

export class TargetLookup {
  /** Addresses of the cluster. They serve proxied names, and may be in a private range. */
  readonly #cluster: ReadonlySet<string>;
  /** Addresses that were dropped. */
  dropped = 0;

  constructor(
    private readonly own: OwnZones,
    private readonly lookup: Lookup,
    private readonly exemptions: Exemptions,
    cluster: Cluster,
  ) {
    this.#cluster = new Set([...cluster.ipv4, ...cluster.ipv6].map((text) => hex(parseAddress(text) ?? NOTHING)));
  }

  /**
   * `account`: its zones are followed in the store; null: none. `onVisit` receives our names of
   * the chains before they are read, and the first foreign names. `onStep` receives all targets of
   * a resolver's CNAMEs.
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
      const end = this.own.follow(name, trail, account);
      if (end.kind === 'failed') return { kind: 'failed', isOwn, error: end.error };
      if (end.kind === 'missing') return { kind: 'none', ttl: 0, isOwn, note: NO_NAME, isDropped: false };
      if (end.kind === 'sets') {
        const set = findType(end.sets, type);
        if (set === undefined) return { kind: 'none', ttl: 0, isOwn, note: noAddress(type), isDropped: false };
        return this.#public(set.rdatas, Math.min(trail.ttl, set.ttl), isOwn);
      }
      isOwn = false;
      const outcome = await this.lookup(end.name, type);
      if (outcome.kind === 'failed') return { kind: 'failed', isOwn, error: outcome.error };
      for (const step of outcome.chain) onStep(step.name);
      const back = outcome.chain.find((step) => this.own.isOf(account, step.name));
      if (back === undefined) {
        for (const step of outcome.chain.slice(0, MAX_WATCHED)) trail.visit(step.name);
        const ttl = Math.min(trail.ttl, outcome.ttl);
        if (outcome.kind === 'addresses') return this.#public(outcome.addresses, ttl, isOwn);
        return { kind: 'none', ttl, isOwn, note: outcome.missing ? NO_NAME : noAddress(type), isDropped: false };
      }
      // A resolver's answer for our own names is not used: it may come from its cache, and in a
      // loop it is the answer of this ALIAS.
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
      const verdict = mayConnect(rdata, this.exemptions);
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
 * The message for the customer; null: there is none. Failures come first, then the reason for
 * missing addresses. It is no error if only one family has no addresses.
 */
export function errorOf({ a, aaaa }: TargetResult): string | null {
  const both = [a, aaaa];
  for (const result of both) if (result.kind === 'failed') return `${result === a ? 'A' : 'AAAA'}: ${result.error}`;
  for (const result of both) if (result.kind === 'addresses' && result.note !== null) return result.note;
  if (a.kind !== 'none' || aaaa.kind !== 'none') return droppedNote(a) ?? droppedNote(aaaa);
  return a.note === aaaa.note ? a.note : `${a.note}; ${aaaa.note}`;
}

/** The note about dropped addresses; null: none were dropped. */
function droppedNote(result: FamilyResult): string | null {
  return result.kind === 'none' && result.isDropped ? result.note : null;
}
