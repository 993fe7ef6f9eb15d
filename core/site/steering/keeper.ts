/**
 * Checks the answers of steered record sets, on every node for itself, and publishes those that are
 * down to the DNS threads. Nothing is written to the journal, however often an answer changes its
 * state: nodes may differ for as long as they see the target differently.
 *
 *     journal ─► domains that changed ─► their checked answers
 *     every 250 ms: checks that are due ─► lines of accounts ─► slot ─► probe
 *         ─► state machine (core/site/pools/health-state.ts) ─► shared memory
 */
import { FairSlots, type Slot, SlotLines } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { formatHost } from '../../dns/wire/name.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt } from '../../store/keys.ts';
import { type SteeringHealth, steerings } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { type AnswerHealth, CheckedAnswers, checkId } from '../../zone/steering/checked-answers.ts';
import { afterCheck, type HealthState, UNKNOWN } from '../pools/health-state.ts';
import { hashText } from '../pools/sticky.ts';
import type { SteeringProbe } from './probe.ts';

interface SteeringKeeperOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly probe: SteeringProbe;
  /** See CheckedAnswers. */
  readonly shared: SharedArrayBuffer;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const TICK = 250;
/** Concurrent checks; one account can use half of them. */
const MAX_CONCURRENT = 128;
/** Maximum number of accounts that wait for a slot; further accounts are retried every second. */
const MAX_ACCOUNTS_WAITING = 4096;
/** Milliseconds of a tick for reading domains that changed; at a start, that is all of them. */
const READ_MS = 20;
/** Milliseconds over which the first checks of a document are spread. */
const FIRST_SPREAD = 1000;

interface Target {
  readonly id: Buffer;
  readonly target: string;
  readonly host: string;
  readonly health: SteeringHealth;
  state: HealthState;
  since: number;
  reason: string | null;
  dueAt: number;
  /** A check is queued or in flight. */
  isPending: boolean;
}

interface SteeredDomain {
  readonly account: Id;
  /** All answers of its documents. */
  readonly answers: number;
  readonly targets: ReadonlyMap<string, Target>;
}

interface SteeringUsage {
  answers: number;
  checked: number;
}

export class SteeringKeeper {
  readonly #options: SteeringKeeperOptions;
  readonly #reader: StoreReader;
  readonly #checked: CheckedAnswers;
  readonly #now: () => number;
  readonly #domains = new Map<Id, SteeredDomain>();
  readonly #usage = new Map<Id, SteeringUsage>();
  /** Domains to read before the next checks. */
  readonly #changed = new Set<Id>();
  /** The answers that are down differ from the published ones. */
  #isUnpublished = false;
  readonly #counts = { success: 0, failure: 0 };
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: MAX_ACCOUNTS_WAITING });
  readonly #lines = new SlotLines(this.#slots);
  readonly #task: Task;

  constructor(options: SteeringKeeperOptions) {
    const { environment, journal, shared, metrics, tasks, log, now } = options;
    this.#options = options;
    this.#reader = new StoreReader(environment);
    this.#checked = new CheckedAnswers(shared);
    this.#now = now ?? (() => performance.now());
    journal.onEdge(({ domainIds }) => {
      for (const id of domainIds) this.#changed.add(id);
    });
    this.#expose(metrics);
    this.#task = tasks.add({ name: 'steering-health', owner: 'node', due: TICK, log, run: () => this.tick() });
  }

  start(): void {
    for (const key of this.#options.environment.rows.get(steerings.number)!.getKeys({}))
      this.#changed.add(idAt(key as Buffer));
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    this.#lines.close();
  }

  /** Starts the checks that are due. */
  tick(): void {
    this.#readChanged();
    const now = this.#now();
    const due: { readonly domain: Id; readonly account: string; readonly target: Target }[] = [];
    for (const [domain, { account, targets }] of this.#domains)
      for (const target of targets.values())
        if (target.dueAt <= now && !target.isPending) due.push({ domain, account: `${account}`, target });
    due.sort((a, b) => a.target.dueAt - b.target.dueAt);
    for (const { domain, account, target } of due) this.#checkInTurn(domain, account, target);
    if (this.#isUnpublished) this.#publish();
  }

  /** Resolves when no check is pending; for tests. */
  async settled(): Promise<void> {
    while (this.#slots.inUse + this.#lines.waiting > 0) await new Promise(setImmediate);
  }

  /** Undefined: the answer is not checked. `id`: of `checkId`. */
  stateOf(domain: Id, id: Buffer): AnswerHealth | undefined {
    const target = this.#domains.get(domain)?.targets.get(id.toString('hex'));
    return target && { isUp: target.state.isUp, since: target.since, reason: target.reason };
  }

  /**
   * Answers in the documents of an account, without those of one domain, as far as this node has
   * read them. Two commits at the same time do not see each other.
   */
  usageOf(account: Id, except: Id): Readonly<SteeringUsage> {
    this.#readChanged();
    const { answers, checked } = this.#usage.get(account) ?? { answers: 0, checked: 0 };
    const own = this.#domains.get(except);
    if (own?.account !== account) return { answers, checked };
    return { answers: answers - own.answers, checked: checked - own.targets.size };
  }

  #readChanged(): void {
    const end = performance.now() + READ_MS;
    for (const id of this.#changed) {
      this.#changed.delete(id);
      this.#read(id);
      if (performance.now() > end) return;
    }
  }

  #count({ account, answers, targets }: SteeredDomain, sign: 1 | -1): void {
    const usage = this.#usage.get(account) ?? { answers: 0, checked: 0 };
    usage.answers += sign * answers;
    usage.checked += sign * targets.size;
    if (usage.answers === 0) this.#usage.delete(account);
    else this.#usage.set(account, usage);
  }

  #read(domainId: Id): void {
    const before = this.#domains.get(domainId);
    const domain = this.#reader.domain(domainId);
    const targets = new Map<string, Target>();
    let count = 0;
    for (const { name, type, content } of domain === undefined ? [] : this.#reader.steeringsOf(domainId))
      for (const { answers, health } of content.pools) {
        count += answers.length;
        for (const { content: text } of health === null ? [] : answers) {
          const id = checkId(domainId, name, type, text, health!);
          const key = id.toString('hex');
          const host = formatHost(name).replace(/^\*\./, '');
          targets.set(key, before?.targets.get(key) ?? this.#newTarget(id, text.replace(/\.$/, ''), host, health!));
        }
      }
    if (before !== undefined) this.#count(before, -1);
    if (count === 0) this.#domains.delete(domainId);
    else {
      const steered = { account: domain!.accountId, answers: count, targets };
      this.#domains.set(domainId, steered);
      this.#count(steered, 1);
    }
    for (const [key, { state }] of before?.targets ?? [])
      if (state.isUp === false && !targets.has(key)) this.#isUnpublished = true;
  }

  #newTarget(id: Buffer, target: string, host: string, health: SteeringHealth): Target {
    const dueAt = this.#now() + (hashText(id.toString('hex')) % FIRST_SPREAD);
    return { id, target, host, health, state: UNKNOWN, since: 0, reason: null, dueAt, isPending: false };
  }

  #checkInTurn(domain: Id, account: string, target: Target): void {
    target.isPending = true;
    const end = (slot: Slot): void => {
      target.isPending = false;
      slot.release();
    };
    const begin = (slot: Slot): void => {
      if (this.#isChecked(domain, target)) void this.#check(domain, target).finally(() => end(slot));
      else end(slot);
    };
    this.#lines.put({ begin, cancel: () => {} }, account);
  }

  #isChecked(domain: Id, target: Target): boolean {
    return this.#domains.get(domain)?.targets.get(target.id.toString('hex')) === target;
  }

  async #check(domain: Id, target: Target): Promise<void> {
    const { target: address, host, health } = target;
    target.dueAt = this.#now() + health.interval * 1000;
    const reason = await this.#options.probe({ target: address, host, health });
    if (!this.#isChecked(domain, target)) return;
    this.#counts[reason === null ? 'success' : 'failure']++;
    const before = target.state.isUp;
    target.state = afterCheck(target.state, reason === null, health);
    const { isUp } = target.state;
    if (isUp === before || isUp === null) return;
    target.since = Math.floor(Date.now() / 1000);
    target.reason = isUp ? null : reason;
    const fields = { name: host, answer: address };
    if (!isUp) this.#options.log.warn('steered answer is down', { ...fields, reason: reason ?? '' });
    else if (before === false) this.#options.log.info('steered answer is up again', fields);
    this.#isUnpublished = true;
    this.#publish();
  }

  #publish(): void {
    const down: Buffer[] = [];
    for (const { targets } of this.#domains.values())
      for (const { id, state } of targets.values()) if (state.isUp === false) down.push(id);
    this.#checked.write(down);
    this.#isUnpublished = false;
  }

  #expose(metrics: Registry): void {
    metrics.read(
      'counter',
      'waypost_steering_checks_total',
      'Health checks of steered answers by this node, by result.',
      ['result'],
      (emit) => {
        for (const [result, count] of Object.entries(this.#counts)) emit(count, result);
      },
    );
    metrics.read(
      'gauge',
      'waypost_steered_answers',
      'Steered answers that this node checks, by state.',
      ['state'],
      (emit) => {
        const counts = { up: 0, down: 0, unknown: 0 };
        for (const { targets } of this.#domains.values())
          for (const { state } of targets.values())
            counts[state.isUp === null ? 'unknown' : state.isUp ? 'up' : 'down']++;
        for (const [state, count] of Object.entries(counts)) emit(count, state);
      },
    );
  }
}
