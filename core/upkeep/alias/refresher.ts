/**
 * Keeps the addresses of ALIAS targets fresh. A target is looked up once for all its owners, before
 * its TTL ends, and concurrent lookups are limited. If the chain goes through zones of an account,
 * that account gets a separate target, which is looked up when a name of the chain changes.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { formatName, type Name, nameId } from '../../dns/wire/name.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Holds } from '../../nameserver/transfer/holds.ts';
import type { Exemptions } from '../../net/address/index.ts';
import { type Lookup, type Resolvers, recursiveLookup } from '../../net/resolver/resolver.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwners, type Id, nameOfKey } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { type AliasEntry, type AliasTarget, aliasTargets, entryFor, entryOf } from '../../store/rows.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { advance, delay, giveUp } from './family-state.ts';
import { Looks, Schedule } from './looks.ts';
import { OwnZones } from './own-zones.ts';
import { Owners } from './owners.ts';
import type { AliasStates } from './states.ts';
import { Target, targetId } from './target.ts';
import { errorOf, kindOf, TargetLookup, type TargetResult } from './target-lookup.ts';
import { TargetWriter } from './target-writer.ts';
import { Watch } from './watch.ts';

export interface AliasOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly states: AliasStates;
  /** Holds the zones of targets that were never looked up. */
  readonly holds: Holds;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** As for recursiveLookup; empty: the resolvers of the system. */
  readonly resolvers: Resolvers;
  /** Seconds for which an unconfirmed answer is served. */
  readonly staleMax: number;
  /** Addresses that are served although they are not public. */
  readonly allowPrivate: Exemptions;
  readonly observer?: AliasObserver;
  /** Seconds since 1970; omitted: the system clock. */
  readonly now?: () => number;
  /** Seconds of a monotonic clock, for the schedule. */
  readonly clock?: () => number;
  readonly lookup?: Lookup;
}

export interface AliasObserver {
  /** A lookup has ended. `isOutside`: it queried a resolver. */
  looked(result: 'resolved' | 'empty' | 'failed', isOutside: boolean, seconds: number): void;
}

/** Lookups per turn of the event loop: lookups in our own zones are synchronous. */
const TURN = 16;
/**
 * Maximum of resolver lookups per second, each about 100 µs of this thread. An account with more
 * targets than that waits longer.
 */
const RATE = 1000;
const TICK_MS = 250;
/** Seconds until the next lookup of a target whose row could not be written. */
const RETRY_WRITE = 10;
/** Minimum of seconds between two lookups of an outside target when names of its chain change. */
const MIN_INTERVAL = 1;
/** Seconds per thousand targets over which the lookups after a start are spread. */
const START_SPREAD = 5;
/** Seconds after which a first lookup counts as failed. It usually ends after ten. */
const LONGEST_HOLD = 15;
/** Rows that are read per turn of the event loop. */
const PIECE = 500;

export class AliasRefresher {
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #own: OwnZones;
  readonly #owners: Owners;
  readonly #lookup: TargetLookup;
  readonly #writer: TargetWriter;
  readonly #watch = new Watch<Target>();
  readonly #schedule = new Schedule<Target>();
  readonly #reader: Reader;
  readonly #abort = new AbortController();
  readonly #looks = new Looks();
  /** The targets of each name by account, by nameId. */
  readonly #groups = new Map<string, Map<Id | null, Target>>();
  /** Targets that were never looked up, and since when, oldest first. */
  readonly #pending = new Map<Target, number>();
  /** Resolver lookups that may start before the next tick. */
  #budget = RATE;
  /** Lookups that may start in this turn of the event loop. */
  #turn = TURN;
  readonly #writing = new Set<Promise<void>>();
  readonly #task: Task;

  constructor(private readonly options: AliasOptions) {
    const { environment, zoneSettings, journal, staleMax } = options;
    options.states.isLooking = (target) => target.isRunning || this.#looks.has(target);
    this.#now = options.now ?? (() => Date.now() / 1000);
    this.#clock = options.clock ?? (() => performance.now() / 1000);
    this.#own = new OwnZones(environment, zoneSettings);
    this.#owners = new Owners(environment);
    const lookup = options.lookup ?? recursiveLookup(options.resolvers, this.#abort.signal);
    this.#lookup = new TargetLookup(this.#own, lookup, options.allowPrivate, zoneSettings.cluster);
    this.#writer = new TargetWriter(environment, journal, Math.min(Math.max(staleMax / 24, 60), 3600));
    this.#reader = new Reader(rawReader(environment));
    this.#task = options.tasks.add({
      name: 'alias-targets',
      owner: 'node',
      // A node without ALIAS records needs no ticks.
      due: () => (options.states.live.size === 0 && this.#budget === RATE ? Number.POSITIVE_INFINITY : TICK_MS),
      log: options.log,
      run: () => this.tick(),
    });
    journal.onAnswers(({ names, apexes, aliasTargets: targets }) => {
      for (const { target, domainIds } of targets) this.#ownersChanged(target, domainIds);
      for (const name of names) for (const target of this.#watch.at(name)) this.#refreshChanged(target);
      for (const apex of apexes) for (const target of this.#watch.below(apex)) this.#refreshChanged(target);
      this.#pump();
    });
    journal.onDomain(({ apex }) => {
      for (const target of this.#watch.below(apex)) this.#refreshChanged(target);
      this.#pump();
    });
  }

  /** Loads the targets from the store. Resolves before their lookups have ended. */
  async start(): Promise<void> {
    let start: Buffer | undefined;
    const all: Target[] = [];
    for (let name = this.#owners.nextTarget(start); name !== undefined; name = this.#owners.nextTarget(start)) {
      start = afterPrefix(aliasOwners(name));
      all.push(...this.#loadTargets(name));
      if (all.length % PIECE === 0) await turn();
    }
    const spread = (all.length / 1000) * START_SPREAD;
    for (const target of all) {
      if (target.isGone || target.isRunning || this.#looks.has(target)) continue;
      if (target.entry === null || spread < 1) this.#enqueue(target);
      else this.#schedule.put(target, this.#clock() + Math.random() * spread);
      // The process ended before the last change was spread to all owners.
      if (target.entry?.spread?.to != null) this.#storeState(target);
    }
    this.options.holds.loaded();
    await this.#removeOrphans();
    this.#task.start();
    this.#pump();
  }

  /** Aborts lookups and waits for pending writes. No write starts after it. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#task.stop();
    this.#writer.stop();
    this.#looks.clear();
    await Promise.all(this.#writing);
  }

  /** Starts the lookups that are due. */
  tick(): void {
    this.#budget = Math.min(this.#budget + (RATE * TICK_MS) / 1000, RATE);
    for (const target of this.#schedule.take(this.#clock())) this.#enqueue(target);
    this.#giveUp();
    this.#pump();
  }

  /** Ends holds that last too long: the queue may be long, and each lookup slow. */
  #giveUp(): void {
    for (const [target, since] of this.#pending) {
      if (this.#clock() - since < LONGEST_HOLD) return;
      this.#pending.delete(target);
      target.a = giveUp(target.a);
      target.aaaa = giveUp(target.aaaa);
      target.error ??= 'the first lookup has not ended yet';
      this.#storeState(target);
    }
  }

  /** Resolves when no lookup is queued or in flight and no write is pending. */
  async idle(): Promise<void> {
    while (!this.#looks.isIdle || this.#writing.size > 0) await sleep(1);
  }

  /** Numbers of dropped addresses and of commits. */
  get counts(): { readonly dropped: number; readonly written: number } {
    return { dropped: this.#lookup.dropped, written: this.#writer.written };
  }

  /** Adds the targets of a name in the store. Returns the added targets. */
  #loadTargets(name: Name): Target[] {
    const added: Target[] = [];
    const group = this.#groupOf(name);
    const row = this.#rowOf(name);
    const accounts = new Set(Object.keys(row?.own ?? {}).map(Number));
    const holder = this.#own.zoneOf(name)?.accountId;
    if (holder !== undefined) accounts.add(holder);
    for (const account of accounts)
      if (this.#owners.has(name, account)) added.push(...this.#add(name, account));
      else this.#forget(new Target(name, null, account, group));
    if (this.#owners.hasOther(name, group)) added.push(...this.#add(name, null));
    this.#holdOwners(name);
    return added;
  }

  #groupOf(name: Name): Map<Id | null, Target> {
    const id = nameId(name);
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = new Map();
      this.#groups.set(id, group);
    }
    return group;
  }

  #rowOf(name: Name): AliasTarget | undefined {
    return this.#reader.row(aliasTargets, aliasTargets.key({ name } as AliasTarget));
  }

  /** The stored entry from which a new target continues; null: it starts without addresses. */
  #entryOf(name: Name, account: Id | null): AliasEntry | null {
    const row = this.#rowOf(name);
    if (row === undefined) return null;
    const own = entryOf(row, account);
    if (own !== null || account === null) return own;
    const shared = entryFor(row, account);
    // An unfinished spread of the shared entry would not reach the owners of this account.
    return shared === null || shared.spread?.to != null ? null : { ...shared, spread: null };
  }

  /** Adds a target. Returns an empty list if it exists. */
  #add(name: Name, account: Id | null): Target[] {
    const group = this.#groupOf(name);
    if (group.has(account)) return [];
    const target = new Target(name, this.#entryOf(name, account), account, group);
    group.set(account, target);
    this.options.states.live.set(targetId(name, account), target);
    this.#task.wake(TICK_MS);
    return [target];
  }

  /** Holds the zones whose ALIAS has a target of this name that was never looked up. */
  #holdOwners(name: Name, domainIds: Iterable<Id> = this.#owners.domains(name)): void {
    const group = this.#groupOf(name);
    if (![...group.values()].some(isPending)) return;
    for (const id of domainIds) {
      const account = this.#owners.accountOf(id);
      const target = account === undefined ? undefined : (group.get(account) ?? group.get(null));
      if (target === undefined || !isPending(target)) continue;
      if (!this.#pending.has(target)) this.#pending.set(target, this.#clock());
      this.options.holds.hold(target, id);
    }
  }

  #release(target: Target): void {
    this.#pending.delete(target);
    this.options.holds.release(target);
  }

  /** Discards a target that no record uses. */
  #discard(target: Target): void {
    target.isGone = true;
    this.options.states.live.delete(targetId(target.name, target.account));
    this.#watch.remove(target);
    this.#schedule.remove(target);
    this.#looks.remove(target);
    this.#release(target);
    this.options.states.looked(target.name);
  }

  /** ALIAS records for the target were added or deleted in these domains. */
  #ownersChanged(name: Name, domainIds: ReadonlySet<Id>): void {
    if (!this.#writer.hasOwners(name)) {
      const group = this.#groups.get(nameId(name));
      if (group === undefined) return;
      this.#groups.delete(nameId(name));
      for (const target of group.values()) this.#discard(target);
      this.#track(this.#removeRow(name));
      return;
    }
    let isFewer = false;
    for (const id of domainIds) {
      const account = this.#owners.accountOf(id);
      if (account === undefined || !this.#owners.leads(id, name)) isFewer = true;
      else if (!this.#groupOf(name).has(account)) {
        const isHolder = this.#own.zoneOf(name)?.accountId === account;
        for (const target of this.#add(name, isHolder ? account : null)) this.#enqueue(target);
        this.#requeue(this.#groupOf(name).get(null));
      }
    }
    if (isFewer) this.#discardUnused(name);
    this.#holdOwners(name, domainIds);
  }

  /** Moves a target out of the queue of a busy account, after it has got another owner. */
  #requeue(target: Target | undefined): void {
    if (target === undefined || !this.#looks.has(target)) return;
    this.#looks.remove(target);
    this.#enqueue(target);
  }

  /** Discards the targets of a name that no ALIAS record uses. */
  #discardUnused(name: Name): void {
    const group = this.#groupOf(name);
    for (const [account, target] of group) {
      const isUsed = account === null ? this.#owners.hasOther(name, group) : this.#owners.has(name, account);
      if (isUsed) continue;
      group.delete(account);
      this.#discard(target);
      this.#forget(target);
    }
  }

  #forget(target: Target): void {
    this.#track(this.#writer.forget(target, () => target.group.has(target.account)));
  }

  /**
   * Adds a separate target for each account whose zones the chain of a shared target goes through.
   * Other accounts must not follow these zones: an account needs no proof to create a zone.
   * `steps`: the names of the chain.
   */
  #separate(target: Target, steps: readonly Name[]): void {
    const { name, group } = target;
    let isNew = false;
    for (const step of [name, ...steps]) {
      const account = this.#own.zoneOf(step)?.accountId;
      if (account === undefined || group.has(account) || !this.#owners.has(name, account)) continue;
      for (const own of this.#add(name, account)) this.#enqueue(own);
      isNew = true;
    }
    if (!isNew) return;
    this.#holdOwners(name);
    this.#discardUnused(name);
  }

  async #removeRow(name: Name): Promise<void> {
    await this.#writer.remove(name);
    // A target may have been added meanwhile, with an entry from the deleted row.
    for (const target of this.#groups.get(nameId(name))?.values() ?? []) {
      target.entry = this.#entryOf(name, target.account);
      this.#storeState(target);
    }
  }

  /** Deletes rows of targets without owners, which a crash has left. */
  async #removeOrphans(): Promise<void> {
    const table = this.options.environment.rows.get(aliasTargets.number)!;
    let start: Buffer | undefined;
    for (;;) {
      const keys = [...table.getKeys({ start, limit: PIECE })] as Buffer[];
      for (const key of keys) {
        const name = nameOfKey(key, 0, key.length);
        if (!this.#writer.hasOwners(name)) this.#track(this.#writer.remove(name));
      }
      if (keys.length < PIECE) return;
      start = Buffer.concat([keys[keys.length - 1], Uint8Array.of(0)]);
      await turn();
    }
  }

  /** Schedules a lookup after a name of the chain has changed. */
  #refreshChanged(target: Target): void {
    if (target.isRunning) target.isOutdated = true;
    else if (target.isOutside) this.#schedule.put(target, this.#clock() + this.#untilNext(target));
    else this.#enqueue(target);
  }

  /** Seconds until the next lookup is allowed. Limited, since the clock may have been set. */
  #untilNext({ checkedAt }: Target): number {
    return Math.min(Math.max(checkedAt + MIN_INTERVAL - this.#now(), 0), MIN_INTERVAL);
  }

  #enqueue(target: Target): void {
    if (target.isRunning || target.isGone) return;
    this.#schedule.remove(target);
    if (this.#looks.has(target)) return;
    const isBusy = (account: Id): boolean => this.#looks.isBusy(account);
    this.#looks.put(target, target.account ?? this.#owners.turnOf(target.name, isBusy));
  }

  /** Starts queued lookups as far as the limits allow. */
  #pump(): void {
    while (this.#budget > 0 && this.#turn > 0 && !this.#abort.signal.aborted) {
      const target = this.#looks.take();
      if (target === undefined) return;
      if (--this.#turn === 0)
        setImmediate(() => {
          this.#turn = TURN;
          this.#pump();
        });
      void this.#look(target);
    }
  }

  async #look(target: Target): Promise<void> {
    const end = this.#looks.begin(target);
    target.isRunning = true;
    target.isOutdated = false;
    const visited: Name[] = [];
    const steps: Name[] = [];
    const began = performance.now();
    const visit = (name: Name): void => {
      visited.push(name);
      this.#watch.add(target, name, this.#own.zoneOf(name)?.apex);
    };
    try {
      const result = await this.#lookup.run(target.name, target.account, visit, (name) => steps.push(name));
      // Before the result is stored, since it does not apply to accounts with a separate target.
      if (!target.isGone && target.account === null && !this.#abort.signal.aborted) this.#separate(target, steps);
      if (!target.isGone && !this.#abort.signal.aborted) this.#note(target, result, visited, began);
    } catch (error) {
      this.options.log.error('cannot resolve the target of an ALIAS; retrying', {
        target: formatName(target.name),
        error,
      });
      this.#schedule.put(target, this.#clock() + 60);
    } finally {
      end();
      target.isRunning = false;
      if (target.isGone) this.#watch.remove(target);
      else if (target.isOutdated) this.#refreshChanged(target);
      this.options.states.looked(target.name);
      this.#pump();
    }
  }

  #note(target: Target, { a, aaaa }: TargetResult, visited: readonly Name[], began: number): void {
    const now = this.#now();
    const { staleMax, observer } = this.options;
    target.a = advance(target.a, a, now, staleMax);
    target.aaaa = advance(target.aaaa, aaaa, now, staleMax);
    target.checkedAt = now;
    target.isOutside = !a.isOwn || !aaaa.isOwn;
    target.error = errorOf({ a, aaaa });
    // Unwatches names that are no longer in the chains.
    this.#watch.remove(target);
    for (const name of visited) this.#watch.add(target, name, this.#own.zoneOf(name)?.apex);
    const seconds = Math.min(delay(target.a, a.isOwn, Math.random()), delay(target.aaaa, aaaa.isOwn, Math.random()));
    this.#schedule.put(target, this.#clock() + seconds);
    if (target.isOutside) this.#budget--;
    observer?.looked(kindOf({ a, aaaa }), target.isOutside, (performance.now() - began) / 1000);
    this.#storeState(target);
  }

  #storeState(target: Target): void {
    this.#track(this.#bring(target));
  }

  async #bring(target: Target): Promise<void> {
    try {
      await this.#writer.bring(target);
      if (!isPending(target)) this.#release(target);
    } catch (error) {
      if (!target.isGone) this.#schedule.put(target, this.#clock() + RETRY_WRITE);
      throw error;
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!this.#abort.signal.aborted)
          this.options.log.error('cannot store the addresses of an ALIAS; retrying', { error });
      })
      .finally(() => this.#writing.delete(tracked));
    this.#writing.add(tracked);
  }
}

/** Some owners have no answer yet. */
function isPending({ entry }: Target): boolean {
  return entry === null || entry.a === null || entry.aaaa === null || entry.spread?.to != null;
}
