/**
 * Tells the secondaries of every zone that changes (RFC 1996), and of all zones once after a start,
 * since what changed last may not have been told.
 */
import { createSocket, type Socket } from 'node:dgram';
import type { LogFields, Logger } from '../base/log/index.ts';
import type { NotifyTarget } from '../config/index.ts';
import type { ZoneChange } from '../journal/apply/zone-difference.ts';
import type { Id } from '../store/keys.ts';
import type { StoreReader } from '../store/reader.ts';
import { formatName, type Name } from '../wire/name.ts';
import type { TsigKey } from '../wire/tsig.ts';
import { NotifyLine, type NotifyTimes } from './notify-line.ts';

export interface NotifierOptions {
  readonly targets: readonly NotifyTarget[];
  readonly reader: StoreReader;
  /** The key of a name; undefined when there is none. Throws when its secret cannot be opened. */
  readonly keyByName: (name: string) => TsigKey | undefined;
  readonly log: Logger;
  readonly times?: NotifyTimes;
  readonly observer?: { notified(outcome: 'answered' | 'refused' | 'given up'): void };
}

/** Seven tries in a little over two minutes. */
const TIMES: NotifyTimes = { answer: 3000, retry: 2000, tries: 7 };
/** Changes of one zone that come within so many milliseconds are told of together. */
const GATHER = 50;
/** After a start: zones that are told of together, and milliseconds from some to the next. */
const AT_ONCE = 100;
const PACE = 500;
/**
 * From one warning about a secondary to the next, in milliseconds: one that is down, or does not
 * know us, would have as many as there are zones.
 */
const BETWEEN_WARNINGS = 60_000;

interface Secondary {
  readonly target: NotifyTarget;
  readonly key: () => TsigKey | null | undefined;
  readonly line: NotifyLine;
}

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #secondaries: Secondary[];
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
    return this.#secondaries.reduce((sum, { line }) => sum + line.waiting, 0);
  }

  onChange({ domainId, apex, serial }: ZoneChange): void {
    if (this.#secondaries.length === 0) return;
    if (serial === 0) {
      this.#changes.delete(domainId);
      for (const { line } of this.#secondaries) line.remove(domainId);
      return;
    }
    this.#changes.set(domainId, apex);
    this.#gathering ??= setTimeout(() => this.#tell(), GATHER).unref();
  }

  /** Notifies the secondaries of a zone that has not changed. */
  notify(domainId: Id, apex: Name): void {
    for (const { line } of this.#secondaries) line.add(domainId, apex);
  }

  /**
   * Begins to tell of all zones, some at a time. Keys that cannot be used are logged now, and not
   * when a zone first changes.
   */
  start(): void {
    for (const { key } of this.#secondaries) key();
    if (this.#secondaries.length > 0) this.#tellAll(null);
  }

  close(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    if (this.#starting !== null) clearTimeout(this.#starting);
    for (const { line } of this.#secondaries) line.close();
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
  }

  #tell(): void {
    this.#gathering = null;
    for (const [domainId, apex] of this.#changes) for (const { line } of this.#secondaries) line.add(domainId, apex);
    this.#changes.clear();
  }

  #tellAll(after: Name | null): void {
    const domains = this.#options.reader.allDomains(after, AT_ONCE);
    for (const { id, apex } of domains) for (const { line } of this.#secondaries) line.add(id, apex);
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
    const known = this.#sockets.get(family);
    if (known !== undefined) return known;
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    this.#sockets.set(family, socket);
    socket.unref();
    socket.on('error', (error) => this.#options.log.warn('the NOTIFY socket failed', { error }));
    socket.on('message', (message, { address, port }) => {
      for (const { target, line } of this.#secondaries)
        if (target.port === port && target.address === address) line.receive(message);
    });
    return socket;
  }
}

/**
 * The key of a secondary, looked up anew each time, since it may be made while we run: undefined when it cannot be used, of which `onProblem` is told once
 * until it can.
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
    let problem = 'the key does not exist, or its account is disabled';
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
