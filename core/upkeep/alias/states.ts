/** The states of ALIAS targets for the API and the metrics. */

import { type Name, nameId } from '../../dns/wire/name.ts';
import { formatAddress } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { type AliasFamily, type AliasTarget, aliasTargets, entryFor } from '../../store/rows.ts';
import { isUnresolvable } from './family-state.ts';
import { Target, targetId } from './target.ts';

/**
 * `pending`: not looked up yet. `resolved`: it has addresses. `empty`: it has no addresses.
 * `stale`: the last good addresses are served, since lookups fail. `failed`: lookups fail, and no
 * addresses are served.
 */
export const ALIAS_STATUSES = ['pending', 'resolved', 'empty', 'stale', 'failed'] as const;
export type AliasStatus = (typeof ALIAS_STATUSES)[number];

export interface AliasState {
  readonly status: AliasStatus;
  /** In presentation form, IPv4 first. */
  readonly addresses: readonly string[];
  /** Seconds since 1970; null: never. */
  readonly checkedAt: number | null;
  readonly error: string | null;
}

/** Reads the live state of targets that this node refreshes, and the stored rows of others. */
export class AliasStates {
  readonly #reader: Reader;
  /** By targetId. */
  readonly live = new Map<string, Target>();
  /** Whether a lookup of a live target is queued or in flight. Set by the refresher. */
  isLooking: (target: Target) => boolean = () => false;
  /** Callbacks for the end of a lookup, by nameId. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(environment: Environment) {
    this.#reader = new Reader(rawReader(environment));
  }

  /** The state of a target for the ALIAS records of an account. */
  of(name: Name, account: Id): AliasState {
    const target = this.#liveOf(name, account);
    if (target !== undefined) return stateOf(target);
    const row = this.#reader.row(aliasTargets, aliasTargets.key({ name } as AliasTarget));
    return stateOf(new Target(name, row === undefined ? null : entryFor(row, account)));
  }

  /** Resolves when no lookup of the target is queued or in flight, or when the signal aborts. */
  async settled(name: Name, account: Id, signal: AbortSignal): Promise<void> {
    for (;;) {
      const target = this.#liveOf(name, account);
      if (target === undefined || !this.isLooking(target) || signal.aborted) return;
      await this.#nextEnd(nameId(name), signal);
    }
  }

  /** Called when a lookup of the name has ended or is no longer needed. */
  looked(name: Name): void {
    for (const wake of this.#waiting.get(nameId(name)) ?? []) wake();
  }

  #liveOf(name: Name, account: Id): Target | undefined {
    return this.live.get(targetId(name, account)) ?? this.live.get(targetId(name, null));
  }

  async #nextEnd(id: string, signal: AbortSignal): Promise<void> {
    const wakes = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, wakes);
    let wake = (): void => {};
    await new Promise<void>((done) => {
      wake = done;
      wakes.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
    signal.removeEventListener('abort', wake);
    wakes.delete(wake);
    if (wakes.size === 0) this.#waiting.delete(id);
  }
}

export function stateOf({ a, aaaa, checkedAt, error }: Target): AliasState {
  const families = [a.served, aaaa.served];
  return {
    status: statusOf(families, checkedAt),
    addresses: families.flatMap(
      (family) => family?.addresses.map((text) => formatAddress(Buffer.from(text, 'hex'))) ?? [],
    ),
    checkedAt: checkedAt === 0 ? null : Math.floor(checkedAt),
    error,
  };
}

function statusOf(families: readonly (AliasFamily | null)[], checkedAt: number): AliasStatus {
  if (families.some((family) => family?.stale === true)) return 'stale';
  if (families.some((family) => family !== null && family.addresses.length > 0)) return 'resolved';
  if (families.every((family) => family !== null && !isUnresolvable(family))) return 'empty';
  return checkedAt === 0 ? 'pending' : 'failed';
}
