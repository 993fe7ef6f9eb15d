/**
 * Notifies secondaries when a zone changes (RFC 1996). After a start it notifies them of all zones,
 * since the latest changes may not have been sent.
 */
import { createSocket, type Socket } from 'node:dgram';
import type { LogFields, Logger } from '../../base/log/index.ts';
import { type NotifyTarget, sourceFor } from '../../config/index.ts';
import { formatName, type Name } from '../../dns/wire/name.ts';
import type { TsigKey } from '../../dns/wire/tsig.ts';
import type { ZoneChange } from '../../journal/apply/zone-difference.ts';
import { isSameFamily, localSource } from '../../net/local-source.ts';
import type { Id } from '../../store/keys.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import type { Holds } from './holds.ts';
import { NotifyLine, type NotifyTimes } from './notify-line.ts';

interface NotifierOptions {
  readonly targets: readonly NotifyTarget[];
  /** Source addresses of NOTIFY, at most one of each family; omitted: those of the route. */
  readonly sources?: readonly string[];
  /** Additional secondaries of single zones; omitted: no zone has any. */
  readonly zoneTargets?: ZoneTargets;
  /** Omitted: no zone is held. */
  readonly holds?: Holds;
  readonly reader: StoreReader;
  /**
   * Finds the key of an administrator by its name; undefined: there is none. Throws if its secret
   * cannot be decrypted.
   */
  readonly keyByName: (name: string) => TsigKey | undefined;
  readonly log: Logger;
  readonly times?: NotifyTimes;
  readonly observer?: { notified(outcome: 'answered' | 'refused' | 'given up'): void };
}

interface ZoneTargets {
  /** Whether any zone has secondaries or source addresses of its own. */
  exist(): boolean;
  of(domainId: Id): readonly NotifyTarget[];
  /** Source addresses of the zone, which may be of other nodes. */
  sourcesOf(domainId: Id): readonly string[];
}

/** Seven attempts take a little over two minutes. */
const TIMES: NotifyTimes = { answer: 3000, retry: 2000, tries: 7, probe: 300_000 };
/**
 * Milliseconds in which changes are collected, so that a zone with several changes is notified
 * once.
 */
const COLLECT_MS = 50;
/** After a start: zones per batch. */
const AT_ONCE = 100;
/** Maximum zones whose own secondaries are read per turn of the event loop. */
const MAX_READS = 500;
/** Maximum secondaries of single zones, each with a queue. Accounts share them. */
const MAX_OWN = 1000;
/** Maximum sockets: one of each source address. */
const MAX_SOCKETS = 64;
/** After a start: milliseconds between batches. */
const BATCH_INTERVAL_MS = 500;
/**
 * Minimum milliseconds between warnings about a secondary. Without it, a secondary that is down
 * would cause a warning for each zone.
 */
const WARNING_INTERVAL_MS = 60_000;

interface OwnSecondary extends Secondary {
  readonly account: number;
}

interface Secondary {
  readonly target: NotifyTarget;
  readonly key: () => TsigKey | null | undefined;
  readonly line: NotifyLine;
}

export class Notifier {
  readonly #secondaries: Secondary[];
  /** Secondaries of single zones, by account, address, port and source addresses. */
  readonly #own = new Map<string, OwnSecondary>();
  /** By source address; with the family as key: from that of the route. */
  readonly #sockets = new Map<string, Socket>();
  #isClosed = false;
  readonly #changes = new Map<Id, Name>();
  #collectTimer: NodeJS.Timeout | null = null;
  #starting: NodeJS.Timeout | null = null;

  constructor(private readonly options: NotifierOptions) {
    this.#secondaries = options.targets.map((target) => this.#secondaryOf(target));
    if (options.holds !== undefined)
      options.holds.onRelease = () => {
        if (this.#changes.size > 0) this.#collect();
      };
  }

  /** The number of unanswered NOTIFY messages, over all secondaries. */
  get waiting(): number {
    return [...this.#all()].reduce((sum, { line }) => sum + line.waiting, 0);
  }

  /** The number of zones whose messages a secondary has not answered, over all secondaries. */
  get unanswered(): number {
    return [...this.#all()].reduce((sum, { line }) => sum + line.unanswered, 0);
  }

  onChange({ domainId, apex, serial }: ZoneChange): void {
    if (this.#secondaries.length === 0 && this.options.zoneTargets === undefined) return;
    if (serial === 0) {
      this.#changes.delete(domainId);
      for (const { line } of this.#all()) line.remove(domainId);
      return;
    }
    this.#changes.set(domainId, apex);
    this.#collect();
  }

  /** Notifies the secondaries of a zone that has not changed. */
  notify(domainId: Id, apex: Name): void {
    for (const { line } of this.#secondariesOf(domainId, true)) line.add(domainId, apex);
  }

  /**
   * Starts to notify secondaries of all zones, in batches. Reads all keys at once, so that unusable
   * keys are logged now and not at the first change.
   */
  start(): void {
    for (const { key } of this.#secondaries) key();
    if (this.#secondaries.length > 0 || this.#hasOwn()) this.#notifyAll(null);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#collectTimer !== null) clearTimeout(this.#collectTimer);
    if (this.#starting !== null) clearTimeout(this.#starting);
    for (const { line } of this.#all()) line.close();
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
  }

  #collect(): void {
    this.#collectTimer ??= setTimeout(() => this.#notifyChanges(), COLLECT_MS).unref();
  }

  /** The changes of held zones stay until their release. */
  #notifyChanges(): void {
    this.#collectTimer = null;
    const hasOwn = this.#hasOwn();
    let rest = hasOwn ? MAX_READS : Number.POSITIVE_INFINITY;
    for (const [domainId, apex] of this.#changes) {
      if (this.options.holds?.has(domainId) === true) continue;
      if (rest-- === 0) {
        this.#collectTimer = setTimeout(() => this.#notifyChanges(), 0).unref();
        return;
      }
      this.#changes.delete(domainId);
      for (const { line } of this.#secondariesOf(domainId, hasOwn)) line.add(domainId, apex);
    }
  }

  #hasOwn(): boolean {
    return this.options.zoneTargets?.exist() ?? false;
  }

  *#all(): Generator<Secondary> {
    yield* this.#secondaries;
    yield* this.#own.values();
  }

  #secondariesOf(domainId: Id, hasOwn: boolean): readonly Secondary[] {
    const { zoneTargets, targets: common, reader } = this.options;
    if (!hasOwn || zoneTargets === undefined) return this.#secondaries;
    const isCommon = (own: NotifyTarget): boolean =>
      common.some(({ address, port }) => address === own.address && port === own.port);
    const targets = zoneTargets.of(domainId).filter((target) => !isCommon(target));
    const sources = zoneTargets.sourcesOf(domainId);
    if (targets.length === 0 && sources.length === 0) return this.#secondaries;
    const account = reader.domain(domainId)?.accountId ?? 0;
    const ownOf = (target: NotifyTarget): Secondary | [] => this.#ownSecondary(target, account, sources) ?? [];
    return sources.length === 0
      ? [...this.#secondaries, ...targets.flatMap(ownOf)]
      : [...common, ...targets].flatMap(ownOf);
  }

  /** Undefined: the maximum of secondaries is reached and none can be dropped. */
  #ownSecondary(target: NotifyTarget, account: number, sources: readonly string[]): Secondary | undefined {
    const key = `${account} ${target.address} ${target.port} ${sources}`;
    const present = this.#own.get(key);
    if (present !== undefined) return present;
    if (this.#own.size >= MAX_OWN && !this.#makeRoom(account)) return undefined;
    const secondary = { ...this.#secondaryOf(target, sources), account };
    this.#own.set(key, secondary);
    return secondary;
  }

  /**
   * Drops a secondary without unanswered messages, else the oldest one of the account with the
   * most.
   */
  #makeRoom(account: number): boolean {
    const counts = new Map<number, number>([[account, 1]]);
    let dropped: string | null = null;
    for (const [key, own] of this.#own) {
      counts.set(own.account, (counts.get(own.account) ?? 0) + 1);
      if (own.line.waiting === 0) dropped ??= key;
    }
    const [largest, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    if (dropped === null && count > counts.get(account)!)
      dropped = [...this.#own].find(([, own]) => own.account === largest)![0];
    if (dropped === null) return false;
    this.#own.get(dropped)!.line.close();
    this.#own.delete(dropped);
    return true;
  }

  #notifyAll(after: Name | null): void {
    const domains = this.options.reader.allDomains(after, AT_ONCE);
    const hasOwn = this.#hasOwn();
    for (const { id, apex } of domains)
      if (this.options.holds?.has(id) === true) this.#changes.set(id, apex);
      else for (const { line } of this.#secondariesOf(id, hasOwn)) line.add(id, apex);
    const last = domains.at(-1);
    this.#starting =
      last === undefined ? null : setTimeout(() => this.#notifyAll(last.apex), BATCH_INTERVAL_MS).unref();
  }

  /** `sources`: those of a zone; empty: those of the service. */
  #secondaryOf(target: NotifyTarget, sources: readonly string[] = []): Secondary {
    const { log, times = TIMES, keyByName, observer } = this.options;
    const secondary = `${target.address} port ${target.port}`;
    const key = keyOf(target, keyByName, (problem) =>
      log.error('cannot notify a secondary: the TSIG key in transfer.notify is unusable', {
        secondary,
        key: target.key,
        problem,
      }),
    );
    let warnedAt = Number.NEGATIVE_INFINITY;
    let suppressed = 0;
    const warn = (message: string, fields: LogFields): void => {
      const now = performance.now();
      if (now - warnedAt < WARNING_INTERVAL_MS) {
        suppressed++;
        log.debug(message, fields);
        return;
      }
      log.warn(message, { ...fields, suppressed });
      warnedAt = now;
      suppressed = 0;
    };
    const line = new NotifyLine({
      times,
      send: (message) => void this.#send(target, sources, message, warn),
      key,
      settled(apex, rcode) {
        const zone = formatName(apex);
        observer?.notified(rcode === null ? 'given up' : rcode === 0 ? 'answered' : 'refused');
        if (rcode === 0) log.debug('NOTIFY acknowledged', { zone, secondary });
        else if (rcode === null) warn('no response to NOTIFY', { zone, secondary });
        else warn('NOTIFY refused', { zone, secondary, rcode });
      },
    });
    return { target, key, line };
  }

  async #send(
    { address, port, family }: NotifyTarget,
    sources: readonly string[],
    message: Uint8Array,
    warn: (message: string, fields: LogFields) => void,
  ): Promise<void> {
    const own = sources.length === 0 ? undefined : await localSource(sources, address);
    if (this.#isClosed) return;
    if (own === undefined && sources.some((other) => isSameFamily(other, address)))
      warn('a zone has source addresses of other nodes alone', {
        secondary: `${address} port ${port}`,
        sources: sources.join(' '),
      });
    const source = own ?? sourceFor(this.options.sources ?? [], address);
    // A failed send counts as an unanswered attempt, so it is retried.
    this.#socket(family, source).send(message, port, address, (error) => {
      if (error !== null) this.options.log.debug('cannot send NOTIFY', { address, port, error });
    });
  }

  #socket(family: 4 | 6, source: string | undefined): Socket {
    const key = source ?? `${family}`;
    const open = this.#sockets.get(key);
    if (open !== undefined) return open;
    if (this.#sockets.size >= MAX_SOCKETS) this.#closeSocket(this.#sockets.keys().next().value!);
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    this.#sockets.set(key, socket);
    socket.unref();
    if (source !== undefined) socket.bind({ address: source });
    socket.on('error', (error) => {
      this.options.log.warn('error on the NOTIFY socket', { error, source });
      // The next attempt opens another socket: the address may have left this node.
      if (this.#sockets.get(key) === socket) this.#closeSocket(key);
    });
    socket.on('message', (message, { address, port }) => {
      for (const { target, line } of this.#all())
        if (target.port === port && target.address === address) line.receive(message);
    });
    return socket;
  }

  #closeSocket(key: string): void {
    this.#sockets.get(key)?.close();
    this.#sockets.delete(key);
  }
}

/**
 * Returns a function that looks up the key of a secondary. It looks up the key on each call, since
 * the key may be created later. It returns undefined if the key is unusable, and calls `onProblem`
 * once until the key is usable again.
 */
function keyOf(
  { key: name }: NotifyTarget,
  keyByName: NotifierOptions['keyByName'],
  onProblem: (problem: string) => void,
): () => TsigKey | null | undefined {
  if (name === null) return () => null;
  let isReported = false;
  return () => {
    let key: TsigKey | undefined;
    let problem = 'the key does not exist, is not of an administrator, or its account is disabled';
    try {
      key = keyByName(name);
    } catch (error) {
      // Timers call this function, so no caller could catch the error.
      problem = (error as Error).message;
    }
    if (key === undefined && !isReported) onProblem(problem);
    isReported = key === undefined;
    return key;
  };
}
