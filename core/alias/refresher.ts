/**
 * Keeps the addresses of ALIAS targets fresh: one look for each target however many names lead to
 * it, ahead of the end of its TTL, a bounded number at a time. Targets in our own zones are looked
 * at when something on their way changes.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Exemptions } from '../address/index.ts';
import type { Logger } from '../base/log/index.ts';
import type { Journal } from '../journal/journal.ts';
import { type Lookup, recursiveLookup } from '../resolver/resolver.ts';
import type { Environment } from '../store/environment.ts';
import { afterPrefix, aliasOwners, type Id, nameOfKey } from '../store/keys.ts';
import { Reader, rawReader } from '../store/reader.ts';
import { type AliasTarget, aliasTargets } from '../store/rows.ts';
import { formatName, type Name, nameId } from '../wire/name.ts';
import type { ZoneSettings } from '../zone/settings.ts';
import { advance, delay } from './family-state.ts';
import { Looks } from './looks.ts';
import { OwnZones } from './own-zones.ts';
import { Owners } from './owners.ts';
import { Schedule } from './schedule.ts';
import type { AliasStates } from './states.ts';
import { Target } from './target.ts';
import { errorOf, kindOf, TargetLookup, type TargetResult } from './target-lookup.ts';
import { TargetWriter } from './target-writer.ts';
import { Watch } from './watch.ts';

export interface AliasOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  readonly states: AliasStates;
  readonly log: Logger;
  /** As recursiveLookup takes them; empty: those of the system. */
  readonly resolvers: readonly string[];
  /** Seconds for which an answer is kept that cannot be confirmed. */
  readonly staleMax: number;
  /** Addresses that are answered though they are not public. */
  readonly allowPrivate: Exemptions;
  readonly observer?: AliasObserver;
  /** Seconds since 1970; the clock of the machine when left out. */
  readonly now?: () => number;
  /** Seconds by a clock that nobody sets: it tells what is due. */
  readonly clock?: () => number;
  readonly lookup?: Lookup;
}

export interface AliasObserver {
  /** A look has ended. `isOutside`: a resolver was asked. */
  looked(result: 'resolved' | 'empty' | 'failed', isOutside: boolean, seconds: number): void;
}

/** Looks that begin between two turns of the event loop: those at our own zones end at once. */
const TURN = 16;
/**
 * Looks a second that ask a resolver; some 100 µs of this thread each. An account that has more
 * targets than that is served later.
 */
const RATE = 1000;
const TICK_MS = 250;
/** Seconds until a target is looked at again whose row could not be written. */
const RETRY_WRITE = 10;
/**
 * Seconds between two looks at a target that is not ours, however often something on the way to it
 * changes.
 */
const LEAST_BETWEEN = 1;
/** Seconds over which the looks after a start are spread, for every thousand targets. */
const START_SPREAD = 5;
/** Targets of which the start reads the rows between two turns of the event loop. */
const PIECE = 500;

export class AliasRefresher {
  readonly #options: AliasOptions;
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
  /** Looks at resolvers that may begin before the next tick. */
  #budget = RATE;
  /** Looks that may begin before the event loop turns. */
  #turn = TURN;
  readonly #writing = new Set<Promise<void>>();
  /** Runs while there are targets: a node without ALIAS records is not woken for them. */
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;

  constructor(options: AliasOptions) {
    const { environment, zoneSettings, journal, staleMax } = options;
    this.#options = options;
    this.#now = options.now ?? (() => Date.now() / 1000);
    this.#clock = options.clock ?? (() => performance.now() / 1000);
    this.#own = new OwnZones(environment, zoneSettings);
    this.#owners = new Owners(environment);
    const lookup = options.lookup ?? recursiveLookup(options.resolvers, this.#abort.signal);
    this.#lookup = new TargetLookup(this.#own, lookup, options.allowPrivate, zoneSettings.cluster);
    this.#writer = new TargetWriter(environment, journal, Math.min(Math.max(staleMax / 24, 60), 3600));
    this.#reader = new Reader(rawReader(environment));
    journal.onAnswers(({ names, apexes, aliasTargets: targets }) => {
      for (const { target, domainIds } of targets) this.#ownersChanged(target, domainIds);
      for (const name of names) for (const target of this.#watch.at(name)) this.#poke(target);
      for (const apex of apexes) for (const target of this.#watch.below(apex)) this.#poke(target);
      this.#pump();
    });
    journal.onDomain(({ apex }) => {
      for (const target of this.#watch.below(apex)) this.#poke(target);
      this.#pump();
    });
  }

  /** Takes up the targets of the store. Resolves when all are known; the looks go on. */
  async start(): Promise<void> {
    let start: Buffer | undefined;
    const all: Target[] = [];
    for (let name = this.#owners.nextTarget(start); name !== undefined; name = this.#owners.nextTarget(start)) {
      start = afterPrefix(aliasOwners(name));
      const target = this.#add(name);
      if (target !== null) all.push(target);
      if (all.length % PIECE === 0) await turn();
    }
    const spread = (all.length / 1000) * START_SPREAD;
    for (const target of all) {
      if (target.isGone || target.isRunning || this.#looks.has(target)) continue;
      if (target.row === null || spread < 1) this.#enqueue(target);
      else this.#schedule.put(target, this.#clock() + Math.random() * spread);
      // Its last change had not come to all names when the process ended.
      if (target.row?.spread?.to != null) this.#bring(target);
    }
    await this.#removeOrphans();
    this.#isStarted = true;
    this.#run();
    this.#pump();
  }

  /** Ends what is pending; nothing is written afterwards. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#rest();
    this.#writer.stop();
    this.#looks.clear();
    await Promise.all(this.#writing);
  }

  /** Begins the looks that are due. */
  tick(): void {
    this.#budget = Math.min(this.#budget + (RATE * TICK_MS) / 1000, RATE);
    for (const target of this.#schedule.take(this.#clock())) this.#enqueue(target);
    this.#pump();
    if (this.#options.states.live.size === 0 && this.#budget === RATE) this.#rest();
  }

  #run(): void {
    if (!this.#isStarted || this.#abort.signal.aborted || this.#options.states.live.size === 0) return;
    this.#timer ??= setInterval(() => this.tick(), TICK_MS).unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Resolves when nothing is pending and nothing waits for a slot. */
  async idle(): Promise<void> {
    while (!this.#looks.isIdle || this.#writing.size > 0) await sleep(1);
  }

  /** Addresses dropped, commits made. */
  get counts(): { readonly dropped: number; readonly written: number } {
    return { dropped: this.#lookup.dropped, written: this.#writer.written };
  }

  /** Null when it is known already. */
  #add(name: Name): Target | null {
    const { live } = this.#options.states;
    const id = nameId(name);
    if (live.has(id)) return null;
    const row = this.#reader.row(aliasTargets, aliasTargets.key({ name } as AliasTarget));
    const target = new Target(name, row ?? null);
    live.set(id, target);
    this.#run();
    return target;
  }

  /** ALIAS records for the target came or went. */
  #ownersChanged(name: Name, domainIds: ReadonlySet<Id>): void {
    const { live } = this.#options.states;
    if (this.#writer.hasOwners(name)) {
      const added = this.#add(name);
      if (added !== null) this.#enqueue(added);
      else this.#accountsChanged(live.get(nameId(name))!, domainIds);
      return;
    }
    const target = live.get(nameId(name));
    if (target === undefined) return;
    target.isGone = true;
    live.delete(nameId(name));
    this.#watch.remove(target);
    this.#schedule.remove(target);
    this.#looks.remove(target);
    this.#track(this.#removeRow(name));
  }

  /**
   * Zones that were believed, since the owners were all of their account, are not once another
   * account leads there, too.
   */
  #accountsChanged(target: Target, domainIds: ReadonlySet<Id>): void {
    const { account } = target;
    if (account === null) target.account = undefined;
    if (account === null || account === undefined) return;
    for (const id of domainIds) {
      if ((this.#owners.accountOf(id) ?? account) === account) continue;
      target.account = null;
      if (target.isRunning) target.isOutdated = true;
      else this.#enqueue(target);
      return;
    }
  }

  async #removeRow(name: Name): Promise<void> {
    await this.#writer.remove(name);
    // It may have come back meanwhile, and count on the row that is gone now.
    const again = this.#options.states.live.get(nameId(name));
    if (again === undefined) return;
    again.row = this.#reader.row(aliasTargets, aliasTargets.key({ name } as AliasTarget)) ?? null;
    this.#bring(again);
  }

  /** Rows of targets that nothing leads to any more: a crash came between. */
  async #removeOrphans(): Promise<void> {
    const table = this.#options.environment.rows.get(aliasTargets.number)!;
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

  /** Something on the way to the target has changed. */
  #poke(target: Target): void {
    if (target.isRunning) target.isOutdated = true;
    else if (target.isOutside) this.#schedule.put(target, this.#clock() + this.#untilNext(target));
    else this.#enqueue(target);
  }

  /**
   * Seconds until a target may be looked at again; no more than usual when the clock has been set.
   */
  #untilNext({ checkedAt }: Target): number {
    return Math.min(Math.max(checkedAt + LEAST_BETWEEN - this.#now(), 0), LEAST_BETWEEN);
  }

  #enqueue(target: Target): void {
    if (target.isRunning || target.isGone) return;
    this.#schedule.remove(target);
    if (!this.#looks.has(target)) this.#looks.put(target, this.#owners.firstAccount(target.name));
  }

  /** Begins as many looks as there is room for. */
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
    const began = performance.now();
    try {
      if (target.account === undefined) target.account = this.#owners.onlyAccount(target.name);
      const result = await this.#lookup.run(target.name, target.account, (name) => {
        visited.push(name);
        this.#watch.add(target, name, this.#own.zoneOf(name)?.apex);
      });
      if (!target.isGone && !this.#abort.signal.aborted) this.#note(target, result, visited, began);
    } catch (error) {
      this.#options.log.error('cannot resolve the target of an ALIAS; retrying', {
        target: formatName(target.name),
        error,
      });
      this.#schedule.put(target, this.#clock() + 60);
    } finally {
      end();
      target.isRunning = false;
      if (target.isGone) this.#watch.remove(target);
      else if (target.isOutdated) this.#poke(target);
      this.#pump();
    }
  }

  #note(target: Target, { a, aaaa }: TargetResult, visited: readonly Name[], began: number): void {
    const now = this.#now();
    const { staleMax, observer } = this.#options;
    target.a = advance(target.a, a, now, staleMax);
    target.aaaa = advance(target.aaaa, aaaa, now, staleMax);
    target.checkedAt = now;
    target.isOutside = !a.isOwn || !aaaa.isOwn;
    target.error = errorOf({ a, aaaa });
    // Names that the chains have left are not watched any more.
    this.#watch.remove(target);
    for (const name of visited) this.#watch.add(target, name, this.#own.zoneOf(name)?.apex);
    const seconds = Math.min(delay(target.a, a.isOwn, Math.random()), delay(target.aaaa, aaaa.isOwn, Math.random()));
    this.#schedule.put(target, this.#clock() + seconds);
    if (target.isOutside) this.#budget--;
    observer?.looked(kindOf({ a, aaaa }), target.isOutside, (performance.now() - began) / 1000);
    this.#bring(target);
  }

  #bring(target: Target): void {
    const brought = this.#writer.bring(target).catch((error: unknown) => {
      if (!target.isGone) this.#schedule.put(target, this.#clock() + RETRY_WRITE);
      throw error;
    });
    this.#track(brought);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!this.#abort.signal.aborted)
          this.#options.log.error('cannot store the addresses of an ALIAS; retrying', { error });
      })
      .finally(() => this.#writing.delete(tracked));
    this.#writing.add(tracked);
  }
}
