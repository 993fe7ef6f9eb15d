/**
 * Checks the origins of pools, on one node of each region. Results that change a state go into the
 * journal, so that every node has them at once, and keeps them over restarts.
 *
 *     journal ─► domains that changed ─► their checked origins
 *     every 250 ms: checks that are due ─► lines of accounts ─► slot ─► probe
 *         ─► state machine (core/site/pools/health-state.ts) ─► changed states: one commit
 */
import { FairSlots, type Slot, SlotLines } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { formatHost } from '../../dns/wire/name.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt } from '../../store/keys.ts';
import {
  type CheckedOriginState,
  originHealth,
  proxySettings,
  siteDocumentKey,
  siteDocuments,
} from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { type CheckedOrigin, checkedOrigins } from '../pools/checks.ts';
import { ORIGINS } from '../pools/document.ts';
import { afterCheck, type HealthState, UNKNOWN } from '../pools/health-state.ts';
import { hashText } from '../pools/sticky.ts';
import type { Probe } from './probe.ts';

interface HealthKeeperOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly probe: Probe;
  readonly region: string;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const TICK = 250;
/** Concurrent checks; one account can use half of them. */
const MAX_CONCURRENT = 256;
/** Maximum number of accounts that wait for a slot; further accounts are retried every second. */
const MAX_ACCOUNTS_WAITING = 4096;
/** Milliseconds over which the first checks of a document are spread. */
const FIRST_SPREAD = 1000;

interface Target {
  readonly checked: CheckedOrigin;
  state: HealthState;
  /** Seconds since 1970. */
  since: number;
  reason: string | null;
  dueAt: number;
  /** A check is queued or in flight. */
  isPending: boolean;
}

interface CheckedDomain {
  /** Without the last dot. */
  readonly name: string;
  readonly account: string;
  /** As `ProbeRequest.isLenient`. */
  readonly isLenient: boolean;
  readonly targets: ReadonlyMap<string, Target>;
}

export class HealthKeeper {
  readonly #options: HealthKeeperOptions;
  readonly #reader: StoreReader;
  readonly #now: () => number;
  readonly #fault: FaultLog;
  readonly #domains = new Map<Id, CheckedDomain>();
  /** Domains to reload before the next checks. */
  readonly #changed = new Set<Id>();
  /** Domains with states that are not stored yet. */
  readonly #unwritten = new Set<Id>();
  readonly #counts = { success: 0, failure: 0, busy: 0 };
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: MAX_ACCOUNTS_WAITING });
  readonly #lines = new SlotLines(this.#slots);
  #isChecking = false;
  #writing: Promise<void> | null = null;
  readonly #task: Task;

  constructor(options: HealthKeeperOptions) {
    const { environment, journal, metrics, tasks, log, now } = options;
    this.#options = options;
    this.#reader = new StoreReader(environment);
    this.#now = now ?? (() => performance.now());
    this.#fault = new FaultLog(
      log,
      'cannot record the state of origins; retrying',
      'the state of origins is recorded again',
    );
    journal.onEdge(({ domainIds }) => {
      for (const id of domainIds) this.#changed.add(id);
    });
    this.#expose(metrics);
    this.#task = tasks.add({
      name: 'origin-health',
      owner: 'region',
      due: TICK,
      log,
      run: () => this.tick(),
      standby: () => this.release(),
    });
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    this.#isChecking = false;
    this.#lines.close();
    await this.#writing;
  }

  /** Starts the checks that are due. */
  tick(): void {
    if (!this.#isChecking) this.#takeOver();
    this.#readChanged();
    const now = this.#now();
    const due: { readonly id: Id; readonly domain: CheckedDomain; readonly target: Target }[] = [];
    for (const [id, domain] of this.#domains)
      for (const target of domain.targets.values())
        if (target.dueAt <= now && !target.isPending) due.push({ id, domain, target });
    due.sort((a, b) => a.target.dueAt - b.target.dueAt);
    for (const { id, domain, target } of due) this.#checkInTurn(id, domain, target);
    if (this.#unwritten.size > 0) this.#writing ??= this.#write();
  }

  /** Another node of the region runs the checks. */
  release(): void {
    this.#isChecking = false;
    this.#domains.clear();
    this.#unwritten.clear();
    this.#changed.clear();
  }

  /** Resolves when no check is pending and all states are written; for tests. */
  async settled(): Promise<void> {
    while (this.#slots.inUse + this.#lines.waiting > 0 || this.#writing !== null)
      await (this.#writing ?? new Promise(setImmediate));
  }

  /** Loads all domains with checks, with the states that another node stored. */
  #takeOver(): void {
    this.#isChecking = true;
    const table = this.#options.environment.rows.get(siteDocuments.number)!;
    for (const key of table.getKeys({})) {
      const id = idAt(key as Buffer);
      if (siteDocumentKey(id, ORIGINS.kind).equals(key as Buffer)) this.#changed.add(id);
    }
  }

  #readChanged(): void {
    for (const id of this.#changed) {
      const domain = this.#readDomain(id, this.#domains.get(id));
      if (domain === null) this.#domains.delete(id);
      else this.#domains.set(id, domain);
    }
    this.#changed.clear();
  }

  /** Null: the domain has no checks. `before`: states that are newer than the stored states. */
  #readDomain(id: Id, before: CheckedDomain | undefined): CheckedDomain | null {
    const row = this.#reader.domain(id);
    const proxy = this.#reader.proxy(id);
    if (row === undefined || proxy?.enabled !== true) return null;
    const checked = checkedOrigins(ORIGINS.content(this.#reader, id));
    if (checked.length === 0) return null;
    const stored = new Map(
      this.#reader.originHealth(id, this.#options.region)?.origins.map((state) => [state.key, state]),
    );
    const targets = checked.map((origin): [string, Target] => {
      const { key } = origin;
      return [key, before?.targets.get(key) ?? this.#newTarget(id, origin, stored.get(key))];
    });
    return {
      name: formatHost(row.apex),
      account: `${row.accountId}`,
      isLenient: proxySettings(proxy).lenientResponses,
      targets: new Map(targets),
    };
  }

  #newTarget(id: Id, checked: CheckedOrigin, stored: CheckedOriginState | undefined): Target {
    return {
      checked,
      state: stored === undefined ? UNKNOWN : { isUp: stored.isUp, streak: 0 },
      since: stored?.since ?? 0,
      reason: stored?.reason ?? null,
      dueAt: this.#now() + (hashText(`${id} ${checked.key}`) % FIRST_SPREAD),
      isPending: false,
    };
  }

  #checkInTurn(id: Id, domain: CheckedDomain, target: Target): void {
    target.isPending = true;
    const end = (slot: Slot): void => {
      target.isPending = false;
      slot.release();
    };
    const begin = (slot: Slot): void => {
      if (this.#isChecked(id, target)) void this.#check(id, domain, target).finally(() => end(slot));
      else end(slot);
    };
    this.#lines.put({ begin, cancel: () => {} }, domain.account);
  }

  /** False: another node runs the checks now, or the origin is no longer checked. */
  #isChecked(id: Id, target: Target): boolean {
    return this.#isChecking && this.#domains.get(id)?.targets.get(target.checked.key) === target;
  }

  async #check(id: Id, { name, account, isLenient }: CheckedDomain, target: Target): Promise<void> {
    const { checked } = target;
    const { check, entry, origin } = checked;
    target.dueAt = this.#now() + check.interval * 1000;
    const result = await this.#options.probe({ domainId: id, account, domain: name, entry, origin, check, isLenient });
    if (!this.#isChecked(id, target)) return;
    this.#counts[result.kind]++;
    if (result.kind === 'busy') return;
    const before = target.state.isUp;
    target.state = afterCheck(target.state, result.kind === 'success', check);
    const { isUp } = target.state;
    if (isUp === before || isUp === null) return;
    target.since = Math.floor(Date.now() / 1000);
    target.reason = result.kind === 'failure' ? result.reason : null;
    this.#report(name, target, before);
    this.#unwritten.add(id);
    this.#writing ??= this.#write();
  }

  #report(domain: string, { checked, reason }: Target, before: boolean | null): void {
    const { log, region } = this.#options;
    const fields = { domain, origin: checked.origin.origin, ...(region !== '' && { region }) };
    if (reason !== null) log.warn('origin is down', { ...fields, reason });
    else if (before === false) log.info('origin is up again', fields);
  }

  /** Stores all changed states in one commit. A failed commit is retried at the next tick. */
  async #write(): Promise<void> {
    const { environment, journal, region } = this.#options;
    const ids: Id[] = [];
    try {
      while (this.#unwritten.size > 0 && this.#isChecking) {
        ids.splice(0, ids.length, ...this.#unwritten);
        this.#unwritten.clear();
        await write(environment, journal, 'origin-health', (draft) => {
          for (const domainId of ids) {
            const domain = this.#domains.get(domainId);
            if (domain === undefined || draft.domain(domainId) === undefined) continue;
            draft.put(originHealth, { domainId, region, origins: statesOf(domain) });
          }
        });
      }
      this.#fault.report(null);
    } catch (error) {
      for (const id of ids) this.#unwritten.add(id);
      this.#fault.report(error);
    } finally {
      this.#writing = null;
    }
  }

  #expose(metrics: Registry): void {
    metrics.read(
      'counter',
      'waypost_origin_checks_total',
      'Health checks of origins by this node, by result: success, failure, or busy (no connection was free).',
      ['result'],
      (emit) => {
        for (const [result, count] of Object.entries(this.#counts)) emit(count, result);
      },
    );
    metrics.read('gauge', 'waypost_origin_checks_waiting', 'Health checks that wait for their turn.', [], (emit) =>
      emit(this.#lines.waiting),
    );
    metrics.read('gauge', 'waypost_origins_checked', 'Origins that this node checks, by state.', ['state'], (emit) => {
      const counts = { up: 0, down: 0, unknown: 0 };
      for (const { targets } of this.#domains.values())
        for (const { state } of targets.values()) counts[stateName(state.isUp)]++;
      for (const [state, count] of Object.entries(counts)) emit(count, state);
    });
  }
}

const stateName = (isUp: boolean | null): 'up' | 'down' | 'unknown' =>
  isUp === null ? 'unknown' : isUp ? 'up' : 'down';

function statesOf({ targets }: CheckedDomain): CheckedOriginState[] {
  const states: CheckedOriginState[] = [];
  for (const [key, { state, since, reason }] of targets)
    if (state.isUp !== null) states.push({ key, isUp: state.isUp, since, reason: state.isUp ? null : reason });
  return states;
}
