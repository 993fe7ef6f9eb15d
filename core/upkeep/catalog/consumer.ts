/**
 * Creates secondary zones for the members of consumed catalogs, and deletes zones that a catalog no
 * longer lists (RFC 9432 section 5). Every node reads the catalogs, but only one commits changes.
 * Accounts take turns, so that large or broken catalogs do not delay those of other accounts.
 */
import { FairSlots } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import { Steps } from '../../base/steps.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { formatHost, type Name, nameId } from '../../dns/wire/name.ts';
import { type Draft, write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, recordsOfZone } from '../../store/keys.ts';
import { type Domain, domains, newSecondary, PRIMARY, records, secondaries } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { DomainAdmission, Refusal } from '../domains/admission.ts';
import { deleteDomain } from '../domains/bin.ts';
import { CatalogReader, type Listed, type Member } from './members.ts';

interface ConsumerOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: Pick<ZoneSettings, 'nameservers'>;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Decides whether the account can have a member. */
  readonly admission: DomainAdmission;
}

/** The state of a catalog, which every node reads. */
export interface CatalogState {
  /** Why the catalog is broken and not processed; null: it is valid. */
  readonly problem: string | null;
  /** Number of zones in the last valid version. */
  readonly zones: number;
  /** Number of these that the account cannot have. */
  readonly leftOutCount: number;
  /** The first of those left out, with the reasons. */
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut extends Refusal {
  readonly domain: string;
}

interface LeftOutMembers {
  readonly leftOutCount: number;
  readonly leftOut: readonly LeftOut[];
}

const BY = 'catalog';
const INTERVAL_MS = 500;
/** Catalogs that are processed concurrently, one per account. */
const MAX_CONCURRENT = 2;
/** Maximum of queued catalogs; a later pass processes others. */
const MAX_WAITING = 4096;
/** Rows per read. */
const PIECE = 100;
/** Maximum of domains per commit. */
const CREATED = 25;
const DELETED = 20;
/** Maximum of left-out members in a state, and in the warning. */
const LEFT_OUT = 20;
const LISTED = 5;
const ACCOUNT_GONE: Refusal = { code: 'plan_limit', message: 'The account does not exist any more.' };
const NONE: LeftOutMembers = { leftOutCount: 0, leftOut: [] };

interface Plan {
  readonly removed: Domain[];
  readonly changed: Domain[];
  readonly created: Member[];
}

export class CatalogConsumer {
  readonly #reader: StoreReader;
  /** One node of the cluster commits changes. */
  readonly #passes: Task;
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: MAX_WAITING });
  /** Catalogs that are queued or being processed. */
  readonly #running = new Map<Id, Promise<void>>();
  readonly #failing = new Set<Id>();
  readonly #faults: FaultLog;
  readonly #states = new Map<Id, CatalogState>();
  /** The version of each catalog that was read, and the version that was processed. */
  readonly #read = new Map<Id, string>();
  readonly #processed = new Map<Id, string>();

  constructor(private readonly options: ConsumerOptions) {
    this.#reader = new StoreReader(options.environment);
    const { tasks, log } = options;
    const name = 'catalogs';
    this.#faults = new FaultLog(
      log,
      'cannot process the catalog zones; retrying',
      'the catalog zones are processed again',
      { task: name },
    );
    this.#passes = tasks.add({
      name,
      owner: 'first',
      due: INTERVAL_MS,
      log,
      report: (error) => {
        if (error !== null) this.#faults.report(error);
        else if (this.#failing.size === 0) this.#faults.report(null);
      },
      run: () => this.#begin(),
      // The other nodes read the catalogs.
      standby: () => this.#begin(),
    });
  }

  start(): void {
    this.#passes.start();
  }

  async stop(): Promise<void> {
    await this.#passes.stop();
    await Promise.allSettled(this.#running.values());
  }

  /** Undefined: the catalog was not read yet. */
  state(catalogId: Id): CatalogState | undefined {
    return this.#states.get(catalogId);
  }

  /** Number of broken catalogs. */
  get problems(): number {
    return [...this.#states.values()].filter(({ problem }) => problem !== null).length;
  }

  /** Processes the catalogs that have changed. Rejects like a commit; for tests. */
  async pass(): Promise<void> {
    this.#begin();
    await Promise.all(this.#running.values());
  }

  #begin(): void {
    const catalogs = this.#reader.consumedCatalogs();
    const ids = new Set(catalogs.map(({ id }) => id));
    for (const map of [this.#read, this.#processed, this.#states, this.#failing])
      for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    for (const catalog of catalogs) {
      const { id, accountId } = catalog;
      if (this.#running.has(id) || !this.#isChanged(catalog)) continue;
      const owner = { account: `${accountId}`, network: '' };
      const work = this.#slots
        .run(owner, () => this.#consume(id), this.#passes.signal)
        .finally(() => this.#running.delete(id));
      this.#running.set(id, work);
      work.then(
        () => this.#failing.delete(id),
        (error) => {
          if (this.#passes.signal.aborted) return;
          this.#failing.add(id);
          this.#faults.report(error);
        },
      );
    }
  }

  #isChanged(catalog: Domain): boolean {
    const version = this.#versionOf(catalog);
    const seen = this.#passes.isOwner ? this.#processed : this.#read;
    return version !== null && seen.get(catalog.id) !== version;
  }

  async #consume(id: Id): Promise<void> {
    // The catalog may have changed in the queue.
    const catalog = this.#reader.domain(id);
    const version = catalog === undefined ? null : this.#versionOf(catalog);
    if (catalog === undefined || version === null) return;
    const isFirst = this.#passes.isOwner;
    const members = await this.#readMembers(catalog);
    if (members !== null) {
      if (isFirst) await this.#process(catalog, members);
      await this.#noteLeftOut(catalog, members, isFirst);
    }
    // The next pass processes a change that happened during this one.
    this.#read.set(id, version);
    if (isFirst) this.#processed.set(id, version);
  }

  /** Null: the catalog was not transferred yet. */
  #versionOf({ id, primaries }: Domain): string | null {
    const { revision, recordCount } = this.#reader.zoneState(id);
    return recordCount === 0 ? null : `${revision} ${JSON.stringify(primaries)}`;
  }

  /** Null: the catalog is broken. */
  async #readMembers(catalog: Domain): Promise<ReadonlyMap<string, Member> | null> {
    const listed = await this.#readRecords(catalog);
    const { id, apex } = catalog;
    if ('members' in listed) {
      this.#states.set(id, { ...NONE, ...this.#states.get(id), problem: null, zones: listed.members.size });
      return listed.members;
    }
    const { problem } = listed;
    this.#states.set(id, { zones: 0, ...NONE, ...this.#states.get(id), problem });
    this.options.log.warn('a catalog zone is invalid; keeping its last members', { zone: formatHost(apex), problem });
    return null;
  }

  async #process(catalog: Domain, members: ReadonlyMap<string, Member>): Promise<void> {
    const { log } = this.options;
    const zone = formatHost(catalog.apex);
    const { removed, changed, created } = await this.#plan(catalog, members);
    await this.#inPieces(removed, DELETED, (draft, domain, now) => this.#delete(draft, catalog, domain, now));
    await this.#inPieces(changed, CREATED, (draft, domain) => this.#change(draft, catalog, domain));
    // A set, since a conflicting commit runs again.
    const added = new Set<Member>();
    // The draft in which the plan's limit was reached, so that 100,000 members are not checked one
    // by one. Each attempt of a commit has a new draft.
    let full: Draft | null = null;
    const create = (draft: Draft, member: Member, now: number): void => {
      added.delete(member);
      if (full === draft) return;
      const refusal = this.#create(draft, catalog, member, now);
      if (refusal === null) added.add(member);
      full = refusal?.code === 'plan_limit' ? draft : null;
    };
    await this.#inPieces(created, CREATED, create, () => full !== null);
    log.info('catalog zone processed', { zone, added: added.size, removed: removed.length });
  }

  /** Records the members that the account cannot have, with the reasons. */
  async #noteLeftOut(catalog: Domain, members: ReadonlyMap<string, Member>, isFirst: boolean): Promise<void> {
    const owner = this.#reader.account(catalog.accountId);
    if (owner === undefined) return;
    const leftOut: LeftOut[] = [];
    let leftOutCount = 0;
    const steps = new Steps();
    const { admission } = this.options;
    const isFull = admission.isFull(this.#reader, owner);
    for (const member of members.values()) {
      await steps.next();
      const apex = apexOf(member);
      if (this.#reader.domainByApex(apex)?.listedBy?.catalogId === catalog.id) continue;
      const refusal = admission.findRefusal(this.#reader, apex, owner, owner, isFull);
      // Null: the committing node has not created the domain yet.
      if (refusal === null) continue;
      leftOutCount++;
      if (leftOut.length < LEFT_OUT) leftOut.push({ domain: formatHost(apex), ...refusal });
    }
    this.#states.set(catalog.id, { problem: null, zones: members.size, leftOutCount, leftOut });
    if (leftOutCount > 0 && isFirst)
      this.options.log.warn('skipping zones of a catalog that its account cannot have', {
        zone: formatHost(catalog.apex),
        count: leftOutCount,
        zones: leftOut
          .slice(0, LISTED)
          .map(({ domain, code }) => `${domain} (${code})`)
          .join(', '),
      });
  }

  async #readRecords({ id, apex }: Domain): Promise<Listed> {
    const members = new CatalogReader(apex);
    const prefix = recordsOfZone(id);
    const steps = new Steps();
    for (let after: Uint8Array | null = null; ; await steps.next()) {
      const entries: ReturnType<StoreReader['recordEntries']> = this.#reader.recordEntries(prefix, after, PIECE);
      for (const { key, value } of entries) members.add(records.decode(key, value));
      if (entries.length < PIECE) return members.finish(steps);
      after = entries[entries.length - 1].key;
    }
  }

  /** Compares the members with the domains that belong to the catalog or move to it. */
  async #plan(catalog: Domain, members: ReadonlyMap<string, Member>): Promise<Plan> {
    const plan: Plan = { removed: [], changed: [], created: [] };
    const steps = new Steps();
    const present = new Set<string>();
    for (let after: Name | null = null; ; await steps.next()) {
      const piece: Domain[] = this.#reader.listedBy(catalog.id, after, PIECE);
      for (const domain of piece) {
        const id = nameId(domain.apex);
        const member = members.get(id);
        // A new label means a reset: the data of the zone is deleted first (section 5.4).
        if (member === undefined || member.label !== domain.listedBy?.label) {
          plan.removed.push(domain);
          continue;
        }
        present.add(id);
        if (!isUnchanged(catalog, domain, member)) plan.changed.push(memberOf(catalog, domain, member));
      }
      if (piece.length < PIECE) break;
      after = piece[piece.length - 1].apex;
    }
    for (const member of members.values()) {
      await steps.next();
      if (present.has(member.apexId)) continue;
      const domain = this.#reader.domainByApex(apexOf(member));
      const isMoving = domain !== undefined && this.#mayTakeOver(catalog, domain);
      if (isMoving && domain.listedBy?.label === member.label) plan.changed.push(memberOf(catalog, domain, member));
      else {
        if (isMoving) plan.removed.push(domain);
        plan.created.push(member);
      }
    }
    return plan;
  }

  /** Whether the domain's current catalog names this catalog as its successor (section 4.3.1). */
  #mayTakeOver(catalog: Domain, { accountId, listedBy }: Domain): boolean {
    return accountId === catalog.accountId && listedBy?.successor === hexOf(catalog.apex);
  }

  async #inPieces<T>(
    items: readonly T[],
    size: number,
    work: (draft: Draft, item: T, now: number) => void | Promise<void>,
    isDone: () => boolean = () => false,
  ): Promise<void> {
    const { environment, journal } = this.options;
    for (let at = 0; at < items.length && !isDone(); at += size) {
      const piece = items.slice(at, at + size);
      await write(environment, journal, BY, async (draft) => {
        const now = Math.floor(Date.now() / 1000);
        for (const item of piece) await work(draft, item, now);
      });
    }
  }

  #delete(draft: Draft, catalog: Domain, planned: Domain, now: number): void {
    const domain = draft.domain(planned.id);
    if (domain === undefined || domain.listedBy === null) return;
    const isOurs = domain.listedBy.catalogId === catalog.id || this.#mayTakeOver(catalog, domain);
    if (isOurs && domain.listedBy.label === planned.listedBy?.label)
      // The catalog decides about the zone, and its content is transferred again.
      deleteDomain(this.options, draft, domain, { by: null, now, isPermanent: true });
  }

  #change(draft: Draft, catalog: Domain, planned: Domain): void {
    const domain = draft.domain(planned.id);
    if (domain === undefined || domain.listedBy === null) return;
    if (domain.listedBy.catalogId === catalog.id || this.#mayTakeOver(catalog, domain)) draft.put(domains, planned);
  }

  /**
   * Creates the domain of a member. Returns the refusal if the account cannot have it (taken names
   * are left out by RFC 9432 section 5.2), or if another node has created it; null: it was created.
   */
  #create(draft: Draft, catalog: Domain, member: Member, now: number): Refusal | null {
    const { accountId } = catalog;
    const apex = apexOf(member);
    const owner = draft.account(accountId);
    if (owner === undefined) return ACCOUNT_GONE;
    const refusal = this.options.admission.findRefusal(draft, apex, owner, owner);
    if (refusal !== null) return refusal;
    const domain = memberOf(
      catalog,
      { ...PRIMARY, id: draft.newId(domains), accountId, apex, createdAt: now, kept: null },
      member,
    );
    draft.put(domains, domain);
    draft.put(secondaries, newSecondary(domain.id));
    return null;
  }
}

/** The domain as a member of the catalog: it has the primaries of the catalog. */
function memberOf({ id, primaries }: Domain, domain: Domain, { label, successorId }: Member): Domain {
  const successor = successorId === null ? null : Buffer.from(successorId, 'latin1').toString('hex');
  return { ...domain, kind: 'secondary', primaries, listedBy: { catalogId: id, label, successor } };
}

function isUnchanged(catalog: Domain, domain: Domain, member: Member): boolean {
  const { primaries, listedBy } = memberOf(catalog, domain, member);
  if (listedBy?.successor !== domain.listedBy?.successor) return false;
  return JSON.stringify(primaries) === JSON.stringify(domain.primaries);
}

const apexOf = ({ apexId }: Member): Name => Uint8Array.from(Buffer.from(apexId, 'latin1'));
const hexOf = (name: Name): string => Buffer.from(name).toString('hex');
