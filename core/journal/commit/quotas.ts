/**
 * The quotas of accounts: limits of storage for accounts and their zones. Every change of rows is a
 * commit, so quotas are checked only here. A commit that does not increase a limited value is
 * always accepted: an account above its limits can still delete.
 *
 * A node checks against the entries that it has applied and its own commits in flight. If several
 * nodes write for an account concurrently, the account may exceed a limit by their commits in
 * flight.
 */
import { StateError } from '../../base/errors.ts';
import type { Id } from '../../store/keys.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import type { AccountQuota } from '../journal.ts';
import { type CommitGrowth, type Growth, growingAccounts, type Measured, measureGrowth } from './growth.ts';

interface QuotaOptions {
  readonly stored: StoreReader;
  /** Null: the account has no limits. */
  quotaOf(accountId: Id): AccountQuota | null;
}

/** Positive growth of commits in flight. */
interface InFlight extends Growth {
  readonly commits: Set<Promise<unknown>>;
}

/** Maximum number of cached accounts, and of cached domains. */
const MAX_REMEMBERED = 10_000;

export class Quotas {
  readonly #quotas = new Map<Id, AccountQuota | null>();
  readonly #owners = new Map<Id, Id>();
  readonly #accounts = new Map<Id, InFlight>();
  readonly #zones = new Map<Id, InFlight>();

  constructor(private readonly options: QuotaOptions) {}

  /** Accounts have changed. */
  forgetAccounts(): void {
    this.#quotas.clear();
  }

  /** A domain was added, deleted, or moved to another account. */
  forgetDomain(domainId: Id): void {
    this.#owners.delete(domainId);
  }

  /** Commits, or rejects with StateError `plan_limit`. */
  run<T>(request: Measured, commit: () => Promise<T>): Promise<T> {
    for (const accountId of growingAccounts(request, this.#ownerOf))
      if (this.#quotaOf(accountId) !== null) return this.#runLimited(request, commit);
    return commit();
  }

  async #runLimited<T>(request: Measured, commit: () => Promise<T>): Promise<T> {
    const growth = measureGrowth(request, this.options.stored);
    for (;;) {
      if (this.#refusalOf(growth, true) === null) break;
      const refusal = this.#refusalOf(growth, false);
      if (refusal !== null) throw refusal;
      // Some of the commits in flight may fail, or be applied already.
      await Promise.allSettled(
        [...growth.accounts.keys()].flatMap((id) => [...(this.#accounts.get(id)?.commits ?? [])]),
      );
    }
    const committed = commit();
    const releases = [
      ...[...growth.accounts].map(([id, added]) => addInFlight(this.#accounts, id, added, committed)),
      ...[...growth.zones].map(([id, added]) => addInFlight(this.#zones, id, added, committed)),
    ];
    try {
      return await committed;
    } finally {
      for (const release of releases) release();
    }
  }

  /** `withInFlight`: counts commits in flight as stored. */
  #refusalOf({ zones, accounts }: CommitGrowth, withInFlight: boolean): StateError | null {
    const { stored } = this.options;
    for (const [domainId, { accountId, records, bytes }] of zones) {
      const quota = this.#quotaOf(accountId);
      if (quota === null) continue;
      const inFlight = withInFlight ? this.#zones.get(domainId) : undefined;
      const state = stored.zoneState(domainId);
      const count = state.recordCount + records + (inFlight?.records ?? 0);
      if (isOver(quota.zoneRecords, records, count)) return planLimitError(quota, 'zoneRecords', count);
      const size = state.bytes + bytes + (inFlight?.bytes ?? 0);
      if (isOver(quota.zoneSize, bytes, size)) return planLimitError(quota, 'zoneSize', size);
    }
    for (const [accountId, { records, bytes }] of accounts) {
      const quota = this.#quotaOf(accountId);
      if (quota === null) continue;
      const inFlight = withInFlight ? this.#accounts.get(accountId) : undefined;
      const used = stored.usage(accountId);
      const count = used.records + records + (inFlight?.records ?? 0);
      if (isOver(quota.records, records, count)) return planLimitError(quota, 'records', count);
      const size = used.bytes + bytes + (inFlight?.bytes ?? 0);
      if (isOver(quota.size, bytes, size)) return planLimitError(quota, 'size', size);
    }
    return null;
  }

  readonly #ownerOf = (domainId: Id): Id | undefined => {
    let owner = this.#owners.get(domainId);
    if (owner === undefined) {
      owner = this.options.stored.domain(domainId)?.accountId;
      if (this.#owners.size >= MAX_REMEMBERED) this.#owners.clear();
      if (owner !== undefined) this.#owners.set(domainId, owner);
    }
    return owner;
  };

  #quotaOf(accountId: Id): AccountQuota | null {
    let quota = this.#quotas.get(accountId);
    if (quota === undefined) {
      quota = this.options.quotaOf(accountId);
      if (this.#quotas.size >= MAX_REMEMBERED) this.#quotas.clear();
      this.#quotas.set(accountId, quota);
    }
    return quota;
  }
}

const isOver = (limit: number, growth: number, total: number): boolean => limit > 0 && growth > 0 && total > limit;

/** Counts the growth of a commit as in flight. Returns a function that subtracts it again. */
function addInFlight(all: Map<Id, InFlight>, id: Id, growth: Growth, commit: Promise<unknown>): () => void {
  const records = Math.max(0, growth.records);
  const bytes = Math.max(0, growth.bytes);
  let inFlight = all.get(id);
  if (inFlight === undefined) {
    inFlight = { records: 0, bytes: 0, commits: new Set() };
    all.set(id, inFlight);
  }
  const counted = inFlight;
  counted.records += records;
  counted.bytes += bytes;
  counted.commits.add(commit);
  return () => {
    counted.records -= records;
    counted.bytes -= bytes;
    counted.commits.delete(commit);
    if (counted.commits.size === 0) all.delete(id);
  };
}

const LIMITS = {
  zoneRecords: { setting: 'zone_records', what: 'records in a zone', next: 'Delete records' },
  records: { setting: 'records', what: 'records in all zones of the account', next: 'Delete records or domains' },
  zoneSize: {
    setting: 'zone_size',
    what: 'bytes for a zone with all its settings',
    next: 'Delete records or comments',
  },
  size: { setting: 'size', what: 'bytes for the account', next: 'Delete records, domains or packages' },
} as const;

/** `total`: the value of the zone or the account after the change. */
export function planLimitError(quota: AccountQuota, limit: keyof typeof LIMITS, total: number): StateError {
  const { setting, what, next } = LIMITS[limit];
  return new StateError(
    'plan_limit',
    `The plan "${quota.plan}" allows ${quota[limit]} ${what} (quotas.${quota.plan}_${setting}); with this change there would be ${total}. ${next}, or ask an administrator for a larger plan.`,
  );
}
