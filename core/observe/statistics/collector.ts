/** Collects the counts of this node, stores them each minute, and reads them. */
import { RecentMap } from '../../base/recent-map.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import { rcodeColumn, typeColumn } from './columns.ts';
import { addTo, type CountEntry, MAX_NAMES, maxNames, NameSketch, SUBJECT, topNames } from './counts.ts';
import type { NodeStatistics, StatisticsQuery } from './query.ts';
import type { Sample, SampleReader } from './sample-ring.ts';
import type { StatisticsStore } from './store.ts';
import { MARGIN, TIERS } from './tiers.ts';

/** A column or a name takes about 60 bytes, a domain as much as five of them. */
const MAX_UNITS = 200_000;

const DOMAIN_UNITS = 5;

/** Maximum number of zone ids that are cached until the end of the minute. */
const MAX_ZONES = 100_000;

interface Zone {
  readonly id: number;
  readonly accountId: number;
  /** In wire form, one byte a character. */
  readonly apex: string;
}

interface CollectorOptions {
  readonly store: StatisticsStore;
  readonly reader: Pick<StoreReader, 'domainByApex' | 'domain'>;
  readonly rings: readonly SampleReader[];
  readonly maxBytes: number;
  /** Minutes since 1970. */
  now(): number;
}

/**
 * Minimum jump back of the clock in minutes. After a smaller jump, counts stay in the later minute.
 */
const SET_BACK = 24 * 60;

/**
 * Whether the minute comes from a clock that was ahead: otherwise counts would stay in it until
 * that time.
 */
const isSetBack = (now: number, minute: number): boolean => now < minute - SET_BACK;

export class Collector {
  readonly #table = new CountTable();
  readonly #zonesByApex = new RecentMap<Zone | null>(MAX_ZONES);
  readonly #zonesById = new RecentMap<Zone | null, number>(MAX_ZONES);
  #minute: number;
  samples = 0;

  constructor(private readonly options: CollectorOptions) {
    const now = options.now();
    this.#minute = isSetBack(now, options.store.lastMinute) ? now : Math.max(now, options.store.lastMinute);
  }

  /** Counts all samples in the rings. */
  drain(): void {
    for (const ring of this.options.rings) this.samples += ring.drain((sample) => this.#addSample(sample));
  }

  /**
   * Adds the counts of sites. For each site: the id of its domain, the number of columns, then
   * pairs of column and count.
   */
  addSites(counts: Float64Array): void {
    for (let at = 0; at < counts.length; ) {
      const zone = this.#zoneById(counts[at]);
      const end = at + 2 + 2 * counts[at + 1];
      for (at += 2; at < end; at += 2) {
        if (zone !== null) this.#table.add(zone.id, counts[at], counts[at + 1]);
      }
      if (this.#table.isFull) this.flush();
    }
  }

  /** Writes the counts of the current minute. */
  flush(): void {
    const domains = this.#table.entries();
    this.#table.clear();
    this.options.store.writeMinute(this.#minute, [...domains, ...this.#accountEntries(domains)]);
  }

  /** Starts the next minute when it is due. Returns whether it did. */
  startMinute(): boolean {
    const now = this.options.now();
    if (now <= this.#minute && !isSetBack(now, this.#minute)) return false;
    this.flush();
    this.#minute = now;
    // A domain may have been deleted, and its name given to another account.
    this.#zonesByApex.clear();
    this.#zonesById.clear();
    return true;
  }

  /** Merges finished periods and deletes expired ones. */
  async tidy(isStopping: () => boolean): Promise<void> {
    const { store, maxBytes } = this.options;
    await store.mergeFinished(this.#minute, isStopping);
    await store.expire(this.#minute, maxBytes);
  }

  read(query: StatisticsQuery): NodeStatistics {
    const { from, step, points } = query;
    const columns = new Map<number, number[]>();
    const names = new Map<string, number>();
    const tier = this.#tierFor(from, step);
    for (let point = 0; point < points; point++) {
      const receive = (entry: CountEntry): void => {
        for (const [column, count] of entry.columns) {
          let counts = columns.get(column);
          if (counts === undefined) {
            counts = new Array<number>(points).fill(0);
            columns.set(column, counts);
          }
          counts[point] += count;
        }
        for (const [name, count] of entry.names) addTo(names, name, count);
      };
      const start = from + point * step;
      if (start > this.#minute) break;
      const { period } = TIERS[tier];
      for (let time = start; time < start + step; time += period) this.#readPeriod(query, tier, time, receive);
    }
    const sampling = this.options.rings[0]?.every ?? 1;
    return { sampling, columns: [...columns], names: [...topNames(names, MAX_NAMES)] };
  }

  /**
   * Reads a period. Counts that are not merged yet are in shorter periods, counts of the current
   * minute in memory.
   */
  #readPeriod(query: StatisticsQuery, tier: number, time: number, receive: (entry: CountEntry) => void): void {
    const { store } = this.options;
    if (tier === 0 || store.has(tier, time)) store.read(tier, time, query.kind, query.id, receive);
    else {
      const { period } = TIERS[tier - 1];
      for (let inner = time; inner < time + TIERS[tier].period; inner += period)
        this.#readPeriod(query, tier - 1, inner, receive);
    }
    if (tier > 0 || time !== this.#minute) return;
    const entry = query.kind === SUBJECT.domain ? this.#table.entry(query.id) : this.#accountEntry(query.id);
    if (entry !== null) receive(entry);
  }

  /** The finest tier whose retention reaches `from` and whose period fits the step. */
  #tierFor(from: number, step: number): number {
    const fitting = TIERS.flatMap(({ period }, tier) => (step % period === 0 ? [tier] : []));
    return fitting.find((tier) => from >= this.#minute - TIERS[tier].kept - MARGIN) ?? fitting.at(-1) ?? 0;
  }

  #addSample({ type, rcode, labels, apex, weight }: Sample): void {
    const zone = this.#zoneByApex(apex);
    if (zone === null) return;
    this.#table.addQuery(zone.id, typeColumn(type), rcodeColumn(rcode), labels, weight);
    if (this.#table.isFull) this.flush();
  }

  #accountEntry(accountId: number): CountEntry | null {
    const domains = this.#table.entries().filter(({ id }) => this.#zoneById(id)?.accountId === accountId);
    return this.#accountEntries(domains)[0] ?? null;
  }

  /** The sums of the domains of each account, by rising id. Their names are whole. */
  #accountEntries(domains: readonly CountEntry[]): CountEntry[] {
    const accounts = new Map<number, { columns: Map<number, number>; names: Map<string, number> }>();
    for (const domain of domains) {
      const zone = this.#zoneById(domain.id);
      if (zone === null) continue;
      const sums = accounts.get(zone.accountId) ?? { columns: new Map(), names: new Map() };
      accounts.set(zone.accountId, sums);
      for (const [column, count] of domain.columns) addTo(sums.columns, column, count);
      for (const [labels, count] of domain.names) addTo(sums.names, labels + zone.apex, count);
    }
    return [...accounts]
      .sort(([a], [b]) => a - b)
      .map(([id, { columns, names }]) => {
        const top = topNames(names, maxNames(SUBJECT.account));
        return { kind: SUBJECT.account, id, columns, names: top };
      });
  }

  #zoneByApex(apex: string): Zone | null {
    return this.#zonesByApex.of(apex, () => {
      const domain = this.options.reader.domainByApex(Buffer.from(apex, 'latin1'));
      const zone = domain === undefined ? null : { id: domain.id, accountId: domain.accountId, apex };
      if (zone !== null) this.#zonesById.set(zone.id, zone);
      return zone;
    });
  }

  #zoneById(id: number): Zone | null {
    return this.#zonesById.of(id, () => {
      const domain = this.options.reader.domain(id);
      if (domain === undefined) return null;
      return { id, accountId: domain.accountId, apex: Buffer.from(domain.apex).toString('latin1') };
    });
  }
}

interface Tally {
  readonly columns: Map<number, number>;
  names: NameSketch | null;
}

/**
 * Counts of the domains in the current minute, in memory. The caller writes them to the store when
 * the minute is over, or earlier when the table is full. So its size is bounded, whatever the
 * number of domains.
 */
export class CountTable {
  readonly #tallies = new Map<number, Tally>();
  #units = 0;

  get isFull(): boolean {
    return this.#units >= MAX_UNITS;
  }

  get isEmpty(): boolean {
    return this.#units === 0;
  }

  add(domainId: number, column: number, count: number): void {
    const { columns } = this.#tallyOf(domainId);
    const before = columns.size;
    addTo(columns, column, count);
    this.#units += columns.size - before;
  }

  /** Counts a query by type, code and name. */
  addQuery(domainId: number, type: number, code: number, name: string, weight: number): void {
    const tally = this.#tallyOf(domainId);
    tally.names ??= new NameSketch();
    const { columns, names } = tally;
    const before = columns.size + names.size;
    addTo(columns, type, weight);
    addTo(columns, code, weight);
    names.add(name, weight);
    this.#units += columns.size + names.size - before;
  }

  entry(domainId: number): CountEntry | null {
    const tally = this.#tallies.get(domainId);
    return tally === undefined ? null : entryOf(domainId, tally);
  }

  /** By rising id. */
  entries(): CountEntry[] {
    const ids = Float64Array.from(this.#tallies.keys()).sort();
    return Array.from(ids, (id) => entryOf(id, this.#tallyOf(id)));
  }

  clear(): void {
    this.#tallies.clear();
    this.#units = 0;
  }

  #tallyOf(domainId: number): Tally {
    let tally = this.#tallies.get(domainId);
    if (tally === undefined) {
      tally = { columns: new Map(), names: null };
      this.#tallies.set(domainId, tally);
      this.#units += DOMAIN_UNITS;
    }
    return tally;
  }
}

function entryOf(id: number, { columns, names }: Tally): CountEntry {
  return { kind: SUBJECT.domain, id, columns, names: names?.guaranteed() ?? new Map() };
}
