/**
 * Tells the secondaries of every zone that changes (RFC 1996), and of all zones once after a start,
 * since what changed last may not have been reported.
 */
import { createSocket, type Socket } from 'node:dgram';
import type { LogFields, Logger } from '../../base/log/index.ts';
import type { NotifyTarget } from '../../config/index.ts';
import { formatName, type Name } from '../../dns/wire/name.ts';
import type { TsigKey } from '../../dns/wire/tsig.ts';
import type { ZoneChange } from '../../journal/apply/zone-difference.ts';
import type { Id } from '../../store/keys.ts';
import type { StoreReader } from '../../store/reader.ts';
import { NotifyLine, type NotifyTimes } from './notify-line.ts';

interface NotifierOptions {
  readonly targets: readonly NotifyTarget[];
  /** Further secondaries of a zone; omitted: no zone has any. */
  readonly zoneTargets?: ZoneTargets;
  readonly reader: StoreReader;
  /**
   * The key of a name, of an administrator; undefined when there is none. Throws when its secret
   * cannot be opened.
   */
  readonly keyByName: (name: string) => TsigKey | undefined;
  readonly log: Logger;
  readonly times?: NotifyTimes;
  readonly observer?: { notified(outcome: 'answered' | 'refused' | 'given up'): void };
}

interface ZoneTargets {
  /** Whether any zone has some. */
  exist(): boolean;
  of(domainId: Id): readonly NotifyTarget[];
}

/** Seven tries in a little over two minutes. */
const TIMES: NotifyTimes = { answer: 3000, retry: 2000, tries: 7 };
/** Changes of one zone that come within so many milliseconds are reported together. */
const GATHER = 50;
/** After a start: zones that are reported together, and milliseconds from some to the next. */
const AT_ONCE = 100;
/** Zones whose own secondaries are read between two turns of the event loop. */
const PIECE = 500;
/** Maximum secondaries of single zones, each with a queue. Accounts share them. */
const MAX_OWN = 1000;
const PACE = 500;
/**
 * From one warning about a secondary to the next, in milliseconds: one that is down, or does not
 * know us, would have as many as there are zones.
 */
const BETWEEN_WARNINGS = 60_000;

interface OwnSecondary extends Secondary {
  readonly account: number;
}

interface Secondary {
  readonly target: NotifyTarget;
  readonly key: () => TsigKey | null | undefined;
  readonly line: NotifyLine;
}

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #secondaries: Secondary[];
  /** Secondaries of single zones, by account, address and port. */
  readonly #own = new Map<string, OwnSecondary>();
  readonly #sockets = new Map<4 | 6, Socket>();
  readonly #changes = new Map<Id, Name>();
  #gathering: NodeJS.Timeout | null = null;
  #starting: NodeJS.Timeout | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#secondaries = options.targets.map((target) => this.#secondaryOf(target));
  }

  /** How many NOTIFY are not answered, over all secondaries. */
  get waiting(): number {
    return [...this.#all()].reduce((sum, { line }) => sum + line.waiting, 0);
  }

  onChange({ domainId, apex, serial }: ZoneChange): void {
    if (this.#secondaries.length === 0 && this.#options.zoneTargets === undefined) return;
    if (serial === 0) {
      this.#changes.delete(domainId);
      for (const { line } of this.#all()) line.remove(domainId);
      return;
    }
    this.#changes.set(domainId, apex);
    this.#gathering ??= setTimeout(() => this.#tell(), GATHER).unref();
  }

  /** Notifies the secondaries of a zone that has not changed. */
  notify(domainId: Id, apex: Name): void {
    for (const { line } of this.#secondariesOf(domainId, true)) line.add(domainId, apex);
  }

  /**
   * Begins to tell of all zones, some at a time. Keys that cannot be used are logged now, and not
   * when a zone first changes.
   */
  start(): void {
    for (const { key } of this.#secondaries) key();
    if (this.#secondaries.length > 0 || this.#hasOwn()) this.#tellAll(null);
  }

  close(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    if (this.#starting !== null) clearTimeout(this.#starting);
    for (const { line } of this.#all()) line.close();
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
  }

  #tell(): void {
    this.#gathering = null;
    const hasOwn = this.#hasOwn();
    let rest = hasOwn ? PIECE : Number.POSITIVE_INFINITY;
    for (const [domainId, apex] of this.#changes) {
      if (rest-- === 0) break;
      this.#changes.delete(domainId);
      for (const { line } of this.#secondariesOf(domainId, hasOwn)) line.add(domainId, apex);
    }
    if (this.#changes.size > 0) this.#gathering = setTimeout(() => this.#tell(), 0).unref();
  }

  #hasOwn(): boolean {
    return this.#options.zoneTargets?.exist() ?? false;
  }

  *#all(): Generator<Secondary> {
    yield* this.#secondaries;
    yield* this.#own.values();
  }

  #secondariesOf(domainId: Id, hasOwn: boolean): readonly Secondary[] {
    const targets = hasOwn ? (this.#options.zoneTargets?.of(domainId) ?? []) : [];
    if (targets.length === 0) return this.#secondaries;
    const account = this.#options.reader.domain(domainId)?.accountId ?? 0;
    return [...this.#secondaries, ...targets.flatMap((target) => this.#ownSecondary(target, account) ?? [])];
  }

  /** Undefined: there are too many that have not answered yet, or the target has all zones. */
  #ownSecondary(target: NotifyTarget, account: number): Secondary | undefined {
    const isTarget = (other: NotifyTarget): boolean => other.address === target.address && other.port === target.port;
    if (this.#options.targets.some(isTarget)) return undefined;
    const key = `${account} ${target.address} ${target.port}`;
    const present = this.#own.get(key);
    if (present !== undefined) return present;
    if (this.#own.size >= MAX_OWN && !this.#makeRoom(account)) return undefined;
    const secondary = { ...this.#secondaryOf(target), account };
    this.#own.set(key, secondary);
    return secondary;
  }

  /** Drops one that has answered all, or else the oldest of the account with the most. */
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

  #tellAll(after: Name | null): void {
    const domains = this.#options.reader.allDomains(after, AT_ONCE);
    const hasOwn = this.#hasOwn();
    for (const { id, apex } of domains) for (const { line } of this.#secondariesOf(id, hasOwn)) line.add(id, apex);
    const last = domains.at(-1);
    this.#starting = last === undefined ? null : setTimeout(() => this.#tellAll(last.apex), PACE).unref();
  }

  #secondaryOf(target: NotifyTarget): Secondary {
    const { log, times = TIMES, keyByName, observer } = this.#options;
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
      if (now - warnedAt < BETWEEN_WARNINGS) {
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
      send: (message) => this.#send(target, message),
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

  #send({ address, port, family }: NotifyTarget, message: Uint8Array): void {
    // What cannot be sent now is sent again.
    this.#socket(family).send(message, port, address, (error) => {
      if (error !== null) this.#options.log.debug('cannot send NOTIFY', { address, port, error });
    });
  }

  #socket(family: 4 | 6): Socket {
    const open = this.#sockets.get(family);
    if (open !== undefined) return open;
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    this.#sockets.set(family, socket);
    socket.unref();
    socket.on('error', (error) => this.#options.log.warn('the NOTIFY socket failed', { error }));
    socket.on('message', (message, { address, port }) => {
      for (const { target, line } of this.#all())
        if (target.port === port && target.address === address) line.receive(message);
    });
    return socket;
  }
}

/**
 * The key of a secondary, looked up again each time, since it may be made while we run: undefined
 * when it cannot be used, which is reported to `onProblem` once until it can.
 */
function keyOf(
  { key: name }: NotifyTarget,
  keyByName: NotifierOptions['keyByName'],
  onProblem: (problem: string) => void,
): () => TsigKey | null | undefined {
  if (name === null) return () => null;
  let isKnown = false;
  return () => {
    let key: TsigKey | undefined;
    let problem = 'the key does not exist, is not of an administrator, or its account is disabled';
    try {
      key = keyByName(name);
    } catch (error) {
      // We are in a timer, and nobody else would take it.
      problem = (error as Error).message;
    }
    if (key === undefined && !isKnown) onProblem(problem);
    isKnown = key === undefined;
    return key;
  };
}
