/**
 * Checks the delegations of all domains in the background, so that lists can show their state
 * without queries. Each pass is limited in rows and in queried domains, and continues where the
 * previous pass ended. Every node runs a keeper, with a delay by its rank for the domain, so that
 * normally one node queries.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { inTurns } from '../../base/fair-queue.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { Interval } from '../../base/timers.ts';
import type { Config } from '../../config/index.ts';
import { formatHost, nameAt } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import { parseExemptions } from '../../net/address/index.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import { type Domain, delegationDueAt, delegations, domains } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { type DelegationLook, type FailedLook, type ParentNameservers, PublicDelegation } from './look.ts';
import { type PresentRecords, PublicRecords } from './present.ts';
import { noteDelegation } from './state.ts';

interface DelegationKeeperOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly look: DelegationLook;
  /** Names of our nameservers. */
  readonly nameservers: readonly string[];
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Seconds since 1970; omitted: the system clock. */
  readonly now?: () => number;
}

/** Milliseconds between two passes. */
const INTERVAL_MS = 60_000;
/** Maximum of rows that a pass reads. */
const MAX_SCANNED = 20_000;
/** Rows per turn of the event loop: about a millisecond. */
const PIECE = 500;
/** Maximum of domains that a pass checks. */
const MAX_LOOKS = 300;
/**
 * Milliseconds after which a pass starts no more checks. Accounts take turns, so unresponsive
 * parents of one account cannot delay others by more. A later pass checks the rest.
 */
const PASS_MS = 60_000;
/** Domains that are checked concurrently, and written in one commit. */
const CONCURRENT = 8;
/** Seconds from the creation of a domain to its first check. */
const FIRST_LOOK = 600;
/** The delay of a node in seconds: of each rank, and the maximum. */
const RANK_DELAY = 75;
const MAX_DELAY = 300;

export class DelegationKeeper {
  readonly #reader: StoreReader;
  readonly #now: () => number;
  readonly #passes: Task;
  /** The key at which the next pass continues. */
  #cursor: Buffer | undefined;

  constructor(private readonly options: DelegationKeeperOptions) {
    this.#reader = new StoreReader(options.environment);
    this.#now = options.now ?? (() => Math.floor(Date.now() / 1000));
    const { tasks, log } = options;
    this.#passes = tasks.add({
      name: 'delegations',
      owner: 'rank',
      due: INTERVAL_MS,
      log,
      messages: ['cannot record the delegation of domains; retrying', 'the delegation of domains is recorded again'],
      run: () => this.pass(),
    });
  }

  start(): void {
    this.#passes.start();
  }

  stop(): Promise<void> {
    return this.#passes.stop();
  }

  /** Checks the due domains within the limits of a pass. */
  async pass(): Promise<void> {
    const pass = new Interval(PASS_MS);
    const found = (await this.#findDue()).flatMap((id) => this.#reader.domain(id) ?? []);
    const due = inTurns(found, ({ accountId }) => accountId);
    for (let i = 0; i < due.length && !this.#passes.isStopped && pass.remaining() > 0; i += CONCURRENT) {
      const looked = due.slice(i, i + CONCURRENT).flatMap(({ id }) => this.#reader.domain(id) ?? []);
      const results = await Promise.all(looked.map((domain) => this.options.look.look(domain, 'sample')));
      if (!this.#passes.isStopped) await this.#note(looked, results);
    }
  }

  async #findDue(): Promise<Id[]> {
    const { environment } = this.options;
    const table = environment.rows.get(domains.number)!;
    const due: Id[] = [];
    for (let scanned = 0; scanned < MAX_SCANNED && due.length < MAX_LOOKS; scanned += PIECE) {
      let count = 0;
      let last: Buffer | undefined;
      for (const key of table.getKeys({ start: this.#cursor, limit: PIECE })) {
        const id = idAt(key as Buffer);
        if (this.#isDue(id)) due.push(id);
        last = key as Buffer;
        count++;
      }
      this.#cursor = last === undefined || count < PIECE ? undefined : Buffer.concat([last, Uint8Array.of(0)]);
      if (this.#cursor === undefined) break;
      await yieldToOthers();
    }
    return due;
  }

  #isDue(id: Id): boolean {
    const row = this.options.environment.rows.get(delegations.number)!.get(idKey(id));
    const dueAt = row === undefined ? (this.#reader.domain(id)?.createdAt ?? 0) + FIRST_LOOK : delegationDueAt(row);
    return dueAt + this.#delayOf(id) <= this.#now();
  }

  /** The delay of this node for a domain, in seconds. */
  #delayOf(id: Id): number {
    return Math.min(this.options.tasks.rank(`${id}`) * RANK_DELAY, MAX_DELAY);
  }

  async #note(looked: readonly Domain[], results: readonly (ParentNameservers | FailedLook)[]): Promise<void> {
    const { environment, journal, nameservers } = this.options;
    await write(environment, journal, 'delegation', (draft) => {
      const now = this.#now();
      for (const [i, { id }] of looked.entries()) {
        const domain = draft.domain(id);
        const before = draft.delegation(id);
        // The domain was deleted, or a request or another node has checked it.
        if (domain === undefined || (before !== undefined && before.dueAt > now)) continue;
        const expected = expectedNameservers(draft, domain, nameservers);
        const subject = { domainId: id, createdAt: domain.createdAt, expected };
        draft.put(delegations, noteDelegation(subject, before, results[i], now));
      }
    });
  }
}

interface OpenDelegationsOptions {
  readonly config: Pick<Config, 'dnssec' | 'domains' | 'nameservers'>;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly log: Logger;
  readonly tasks: Tasks;
}

interface Delegations {
  /** For requests of the API. */
  readonly look: DelegationLook;
  readonly present: PresentRecords;
  /** Starts the background checks, unless they are disabled. */
  start(): void;
  stop(): Promise<void>;
}

/** Creates the checks of delegations from the configuration. */
export function openDelegations({ config, ...parts }: OpenDelegationsOptions): Delegations {
  const { dnssec, domains: settings, nameservers } = config;
  const stop = new AbortController();
  const exemptions = parseExemptions(dnssec.allowPrivateParents);
  const options = { resolvers: () => dnssec.resolvers, exemptions };
  const look = new PublicDelegation(options, stop.signal);
  const keeper = new DelegationKeeper({ ...parts, look, nameservers });
  return {
    look,
    present: new PublicRecords(options, stop.signal),
    start() {
      if (settings.checkDelegation) keeper.start();
    },
    async stop() {
      stop.abort(new Error('the service is stopping'));
      await keeper.stop();
    },
  };
}

/**
 * The nameservers that the parent zone of a domain should have.
 *
 * `nameservers`: of the settings. Domains that keep the apex of a zone file, and secondary zones,
 * use their NS records instead.
 */
export function expectedNameservers(reader: Reader, domain: Domain, nameservers: readonly string[]): readonly string[] {
  // Resolvers do not query catalogs, so they need no delegation.
  if (domain.kind === 'catalog') return [];
  if (domain.kept === null && domain.kind !== 'secondary') return nameservers;
  const own = reader.recordsAt(domain.id, domain.apex).filter(({ type }) => type === TYPE.NS);
  return own.length === 0 ? nameservers : own.map(({ rdata }) => formatHost(nameAt(rdata, 0)));
}
