/**
 * Runs the lifecycle of the signed zones of all accounts: records when every node serves a change,
 * queries parent zones for DS records, and takes the steps that are due.
 *
 * Every node runs a keeper, with a delay by its rank before it queries a parent. The commit of the
 * first node makes the others skip the query, so normally one node queries. If that node stops, the
 * next one replaces it without coordination.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { inTurns } from '../../base/fair-queue.ts';
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { Interval } from '../../base/timers.ts';
import { earliestExpiry, latestInception } from '../../dns/dnssec/lifetime.ts';
import type { SigningFault } from '../../dns/dnssec/signing-threads.ts';
import { formatHost } from '../../dns/wire/name.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import { newestClock, oldestClock } from '../../journal/signing/progress.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import {
  type DnssecPhase,
  type DnssecRow,
  type DnssecStateHead,
  type Domain,
  dnssec,
  dnssecStateHead,
  dnssecStates,
} from '../../store/rows.ts';
import { decodeReadable } from '../../store/scan.ts';
import type { LookResult } from './parent.ts';
import { lookAtParent, noteResult, type PublicLook, readSignedZone, storeSignedZone } from './store-zone.ts';
import { advance, isDueTooLate, isLookDue, noteFault, noteServed, type SignedZone } from './zone-lifecycle.ts';

interface KeeperOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly publicParent: PublicLook;
  readonly nodeName: string;
  /** Names of our nameservers. */
  readonly nameservers: readonly string[];
  readonly tasks: Tasks;
  /** Resolves when every live node serves the journal up to this sequence, or on abort. */
  readonly served: (sequence: number, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
  /** Seconds since 1970; omitted: the system clock. */
  readonly now?: () => number;
}

/** Zones by phase, as of the last pass. */
interface SignedZoneCounts {
  readonly phases: ReadonlyMap<DnssecPhase, number>;
  /** Zones whose parent has a wrong DS, lacks the DS, or does not respond. */
  readonly problems: number;
}

/** Minimum of seconds until a signature expires. Less means two weeks of failed signing. */
const MIN_LEFT = 7 * 86_400;

const INTERVAL_MS = 15_000;
/** Interval between two reads of the signature times of all zones. */
const EXPIRY_INTERVAL_MS = 300_000;
/** Pause after a read of all signature times, as a multiple of its duration. */
const EXPIRY_PAUSE_FACTOR = 20;
/** Rows that are read per turn of the event loop: a few milliseconds. */
const PIECE = 5000;
/** The same for rows that are decoded. */
const DECODED_PIECE = 500;
/** Due zones that are read at once. */
const DUE_PIECE = 256;
/** Maximum of zones per pass whose parents are queried, in turns by account. */
const MAX_LOOKS = 512;
/** Maximum of due zones from which a pass chooses these. */
const MAX_FOUND = 4096;
/** Milliseconds after which a pass starts no more queries, since parents may not respond. */
const LOOKS_MS = 60_000;
/** Zones whose parents are queried concurrently. */
const CONCURRENT = 16;
/** Seconds by which a node delays the query of a parent: for each rank, and the maximum. */
const RANK_DELAY = 30;
const MAX_DELAY = 120;
/** Timeout in milliseconds for all nodes to serve a change. */
const SERVED_MS = 20_000;
/** Seconds between two reports of a fault of a key. */
const FAULT_INTERVAL = 3600;
/** Maximum of keys whose faults are stored. */
const MAX_FAULTS = 1000;
const BY = 'dnssec';

export class SigningKeeper {
  counts: SignedZoneCounts = { phases: new Map(), problems: 0 };
  /** The earliest expiry of all signatures, in seconds since 1970; null: no zone is signed. */
  earliestExpiry: number | null = null;
  /** Zones with signatures whose inception is in the future, and the latest inception. */
  readonly #begins = new Map<Id, number>();
  /** The latest inception of all other zones. */
  #lastBegin: number | null = null;
  readonly #futureFaults: FaultLog;
  /** Zones were signed since the signature times were read. */
  #isExpiryStale = false;
  /** The earliest time to read them again, of performance.now(). */
  #nextExpiryLook = 0;
  readonly #reader: Reader;
  readonly #now: () => number;
  readonly #passes: Task;
  readonly #looks: Task;
  readonly #expiries: Task;
  /** The last fault of each key, by domain and key tag. */
  readonly #faults = new Map<string, RecordedFault>();

  constructor(private readonly options: KeeperOptions) {
    this.#reader = new Reader(rawReader(options.environment));
    this.#now = options.now ?? (() => Math.floor(Date.now() / 1000));
    this.#futureFaults = new FaultLog(
      options.log,
      'signatures begin in the future; validating resolvers reject these zones until they are signed again',
      'all signatures have begun',
    );
    options.journal.onSigning((domainIds) => {
      for (const id of domainIds) this.#noteBegin(id);
      this.#reportFuture();
      this.#isExpiryStale = true;
    });
    const { tasks, log } = options;
    const messages = [
      'cannot update the states of signed zones; retrying',
      'the states of signed zones are updated again',
    ] as const;
    const common = { first: 0, log, messages };
    this.#passes = tasks.add({
      name: 'signed-zones',
      owner: 'node',
      due: INTERVAL_MS,
      run: () => this.pass(),
      ...common,
    });
    // A separate task, since steps must not wait for unresponsive parents.
    this.#looks = tasks.add({
      name: 'parent-zones',
      owner: 'rank',
      due: INTERVAL_MS,
      run: () => this.lookAtParents(),
      ...common,
    });
    this.#expiries = tasks.add({
      name: 'signature-expiry',
      owner: 'node',
      due: EXPIRY_INTERVAL_MS,
      first: 0,
      log,
      run: () => this.findExpiry(),
    });
  }

  start(): void {
    this.#passes.start();
    this.#looks.start();
    this.#expiries.start();
  }

  /** Problems of signatures that do not affect serving yet. */
  warnings(): string[] {
    const warnings: string[] = [];
    const left = this.earliestExpiry === null ? MIN_LEFT : this.earliestExpiry - this.#now();
    if (left < MIN_LEFT) {
      const days = Math.max(0, Math.floor(left / 86_400));
      warnings.push(`a DNSSEC signature expires in ${days} days: zones are not signed again`);
    }
    const zones = this.futureZones;
    if (zones > 0)
      warnings.push(`DNSSEC signatures of ${zones} zones begin in the future: validating resolvers reject them`);
    return warnings;
  }

  /** Number of zones with signatures in the future, which a clock that was ahead has made. */
  get futureZones(): number {
    const now = this.#now();
    let count = 0;
    for (const begin of this.#begins.values()) if (begin > now) count++;
    return count;
  }

  /** The latest inception of all signatures, in seconds since 1970; null: no zone is signed. */
  get latestInception(): number | null {
    let latest = this.#lastBegin;
    for (const begin of this.#begins.values()) latest = Math.max(latest ?? begin, begin);
    return latest;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#passes.stop(), this.#looks.stop(), this.#expiries.stop()]);
  }

  /** Called when a key or a signature is wrong. The change was not published. */
  noteFault({ apex, keyTag, reason }: SigningFault): void {
    const domain = formatHost(apex);
    const id = `${domain} ${keyTag}`;
    const now = this.#now();
    const last = this.#faults.get(id);
    if (last !== undefined && now < last.at + FAULT_INTERVAL) return;
    // A fault of the node may affect any number of zones.
    if (this.#faults.size >= MAX_FAULTS) this.#faults.clear();
    this.#faults.set(id, { apex, at: now, keyTag, reason, isStored: false });
    this.options.log.error('cannot sign a zone', { domain, key_tag: keyTag, reason });
  }

  /** Stores faults in the states of zones, which the API returns. */
  async #storeFaults(): Promise<void> {
    const { environment, journal, nodeName, nameservers } = this.options;
    for (const fault of this.#faults.values()) {
      if (fault.isStored || this.#passes.isStopped) continue;
      const { at, apex, keyTag, reason } = fault;
      await write(environment, journal, BY, (draft) => {
        const domain = draft.domainByApex(apex);
        const zone = domain === undefined ? null : readSignedZone(draft, domain);
        if (domain === undefined || zone === null) return;
        const noted = noteFault(zone, { at, node: nodeName, keyTag, reason });
        storeSignedZone(draft, domain, noted, nameservers, at);
      });
      fault.isStored = true;
    }
  }

  /** Takes the due steps that need no query of the parent. Rejects if a commit does. */
  async pass(): Promise<void> {
    await this.#storeFaults();
    // So that a warning ends soon after the zones are signed again.
    if (this.#isExpiryStale && this.warnings().length > 0 && performance.now() >= this.#nextExpiryLook)
      await this.findExpiry();
    const phases = new Map<DnssecPhase, number>();
    let problems = 0;
    const count = ({ phase, hasProblem }: DnssecStateHead): void => {
      phases.set(phase, (phases.get(phase) ?? 0) + 1);
      if (hasProblem) problems++;
    };
    // Rows are read before the check of the nodes: later changes may not be served yet.
    for await (const due of this.#due(count)) {
      const isServed = due.some(({ before }) => isUnserved(before)) && (await this.#isServed());
      await this.#updateAll(due, isServed);
    }
    this.counts = { phases, problems };
  }

  /**
   * Queries the parents of zones that are due, and takes the steps that follow. Takes minutes if
   * resolvers or parents do not respond. Rejects if a commit does.
   */
  async lookAtParents(): Promise<void> {
    const found: Domain[] = [];
    for await (const due of this.#due()) {
      for (const pending of due) if (this.#isLookDue(pending)) found.push(pending.domain);
      if (found.length >= MAX_FOUND) break;
    }
    const pass = new Interval(LOOKS_MS);
    const domains = inTurns(found, ({ accountId }) => accountId).slice(0, MAX_LOOKS);
    for (let i = 0; i < domains.length && !this.#looks.isStopped && pass.remaining() > 0; i += CONCURRENT) {
      const due = domains.slice(i, i + CONCURRENT).flatMap(({ id }) => this.#read(id) ?? []);
      const queried = await Promise.all(
        due.filter((pending) => this.#isLookDue(pending)).map((pending) => this.#look(pending)),
      );
      if (!this.#passes.isStopped) await this.#updateAll(queried, false);
    }
  }

  /** Yields the due zones in pieces. Calls `visit` for all signed zones. */
  async *#due(visit: (head: DnssecStateHead) => void = () => {}): AsyncGenerator<PendingZone[]> {
    const rows = this.options.environment.rows.get(dnssecStates.number)!;
    const now = this.#now();
    let start: Buffer | undefined = Buffer.alloc(0);
    while (start !== undefined && !this.#passes.isStopped) {
      const ids: Id[] = [];
      let next: Buffer | undefined;
      let count = 0;
      for (const { key, value } of rows.getRange({ start, limit: PIECE })) {
        const head = dnssecStateHead(value as Buffer);
        visit(head);
        if (head.dueAt <= now || isDueTooLate(head.dueAt, now)) ids.push(idAt(key as Buffer));
        if (++count === PIECE) next = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
      }
      for (let i = 0; i < ids.length && !this.#passes.isStopped; i += DUE_PIECE) {
        yield ids.slice(i, i + DUE_PIECE).flatMap((id) => this.#read(id) ?? []);
        await yieldToOthers();
      }
      start = next;
      if (next !== undefined) await yieldToOthers();
    }
  }

  /** Whether all nodes serve all changes that this node has applied. */
  async #isServed(): Promise<boolean> {
    const { journal, served } = this.options;
    const limit = AbortSignal.any([this.#passes.signal, AbortSignal.timeout(SERVED_MS)]);
    const isDone = await served(journal.head, limit).then(
      () => true,
      () => false,
    );
    return isDone && !limit.aborted;
  }

  async #updateAll(all: readonly PendingZone[], isServed: boolean): Promise<void> {
    // A change of the row gets its own commit, since it may compile a large zone.
    const simple: PendingZone[] = [];
    for (const pending of all) {
      const after = this.#next(pending.before, pending, isServed);
      if (after !== null && isSame(after, pending.before)) continue;
      if (after !== null && after.row === pending.before.row) simple.push(pending);
      else await this.#commit([pending], isServed);
    }
    if (simple.length > 0) await this.#commit(simple, isServed);
  }

  /** Null: the zone is no longer signed, or the domain was deleted. */
  #read(id: Id): PendingZone | null {
    const domain = this.#reader.domain(id);
    const before = domain === undefined ? null : readSignedZone(this.#reader, domain);
    return domain === undefined || before === null ? null : { domain, before, look: null };
  }

  #isLookDue({ domain, before }: PendingZone): boolean {
    return isLookDue(before, this.#now() - this.#delayOf(domain.id));
  }

  async #look({ domain, before }: PendingZone): Promise<PendingZone> {
    const { publicParent } = this.options;
    return { domain, before, look: await lookAtParent(this.#reader, publicParent, domain, this.#now()) };
  }

  /** Reads the signature times of all zones. */
  async findExpiry(): Promise<void> {
    const rows = this.options.environment.rows.get(dnssec.number)!;
    let earliest: number | null = null;
    const started = performance.now();
    this.#isExpiryStale = false;
    this.#begins.clear();
    this.#lastBegin = null;
    let start: Buffer | undefined = Buffer.alloc(0);
    while (start !== undefined && !this.#passes.isStopped) {
      let next: Buffer | undefined;
      let count = 0;
      for (const { key, value } of rows.getRange({ start, limit: DECODED_PIECE })) {
        const row = decodeReadable(dnssec, key as Buffer, value as Buffer);
        if (row !== undefined) {
          const expiry = earliestExpiry(oldestClock(row));
          earliest = Math.min(earliest ?? expiry, expiry);
          this.#setBegin(idAt(key as Buffer), row);
        }
        if (++count === DECODED_PIECE) next = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
      }
      start = next;
      if (next !== undefined) await yieldToOthers();
    }
    this.earliestExpiry = earliest;
    const ended = performance.now();
    this.#nextExpiryLook = ended + EXPIRY_PAUSE_FACTOR * (ended - started);
    this.#reportFuture();
  }

  #reportFuture(): void {
    const zones = this.futureZones;
    const until = zones === 0 ? '' : new Date(this.latestInception! * 1000).toISOString();
    this.#futureFaults.report(zones === 0 ? null : new Error(`${zones} zones, the last until ${until}`));
  }

  /** Called when a zone was signed or unsigned. */
  #noteBegin(id: Id): void {
    const key = idKey(id);
    const value = this.options.environment.rows.get(dnssec.number)!.get(key);
    const row = value && decodeReadable(dnssec, key, value);
    if (row === undefined) this.#begins.delete(id);
    else this.#setBegin(id, row);
  }

  #setBegin(id: Id, row: DnssecRow): void {
    const begin = latestInception(newestClock(row));
    if (begin > this.#now()) {
      this.#begins.set(id, begin);
      return;
    }
    this.#begins.delete(id);
    this.#lastBegin = Math.max(this.#lastBegin ?? begin, begin);
  }

  /** The delay of this node for a zone, in seconds. */
  #delayOf(id: Id): number {
    return Math.min(this.options.tasks.rank(`${id}`) * RANK_DELAY, MAX_DELAY);
  }

  #next(zone: SignedZone, { domain, before, look }: PendingZone, isServed: boolean): SignedZone | null {
    const now = this.#now();
    const served = isServed && isUnserved(before) ? noteServed(zone, now) : zone;
    return advance(noteResult(served, domain.apex, look, now), domain.apex, now);
  }

  async #commit(all: readonly PendingZone[], isServed: boolean): Promise<void> {
    const { environment, journal, nameservers, log } = this.options;
    const { result } = await write(environment, journal, BY, (draft) => {
      const steps: Record<string, string>[] = [];
      for (const pending of all) {
        const domain = draft.domain(pending.domain.id);
        const zone = domain === undefined ? null : readSignedZone(draft, domain);
        // Another node or a request has changed the zone; the next pass handles it.
        if (domain === undefined || zone === null || !isSame(zone, pending.before)) continue;
        const next = this.#next(zone, pending, isServed);
        if (next !== null && isSame(next, zone)) continue;
        storeSignedZone(draft, domain, next, nameservers, this.#now());
        const [from, to] = [zone.state.phase, next?.state.phase ?? 'off'];
        if (from !== to) steps.push({ domain: formatHost(domain.apex), from, to });
      }
      return steps;
    });
    for (const step of result) log.info('DNSSEC state changed', step);
  }
}

interface RecordedFault extends SigningFault {
  /** Seconds since 1970. */
  readonly at: number;
  isStored: boolean;
}

interface PendingZone {
  readonly domain: Domain;
  /** The state before the query of the parent. */
  readonly before: SignedZone;
  /** Null: the parent was not queried. */
  readonly look: LookResult | null;
}

/** All names are signed for the phase, but some nodes may not serve the signatures yet. */
const isUnserved = ({ row, state }: SignedZone): boolean => row.progress === undefined && state.servedSince === null;

/** Ignores the clock of the row, which advances independently. */
function isSame(a: SignedZone, b: SignedZone): boolean {
  return JSON.stringify([a.state, a.row.keys, a.row.parent]) === JSON.stringify([b.state, b.row.keys, b.row.parent]);
}
