/** The state of targets, as the API and the metrics tell it. */
import { formatAddress } from '../address/index.ts';
import type { Environment } from '../store/environment.ts';
import { Reader, rawReader } from '../store/reader.ts';
import { type AliasFamily, aliasTargets } from '../store/rows.ts';
import { type Name, nameId } from '../wire/name.ts';
import { Target } from './target.ts';

/**
 * `pending`: not looked up yet; `resolved`; `empty`: it has no addresses; `stale`: the last good
 * addresses are answered, since newer ones cannot be had; `failed`: nothing is known, SERVFAIL is
 * answered.
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

/** Of targets that are looked after here; of others, what their rows say. */
export class AliasStates {
  readonly #reader: Reader;
  readonly live = new Map<string, Target>();

  constructor(environment: Environment) {
    this.#reader = new Reader(rawReader(environment));
  }

  of(name: Name): AliasState {
    const target = this.live.get(nameId(name));
    if (target !== undefined) return stateOf(target);
    const row = this.#reader.row(aliasTargets, aliasTargets.key({ ...NOBODY, name }));
    return stateOf(new Target(name, row ?? null));
  }
}

const NOBODY = { a: null, aaaa: null, error: null, checkedAt: 0, spread: null };

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
  if (families.every((family) => family !== null)) return 'empty';
  return checkedAt === 0 ? 'pending' : 'failed';
}
