/**
 * Queries the nameservers of a parent zone for the delegation of a domain. They are queried
 * directly, since a resolver answers from its cache. Time and number of queries are limited.
 */

import { InvalidError } from '../../base/errors.ts';
import { FairSlots, SlotsFullError } from '../../base/fair-slots.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { Interval } from '../../base/timers.ts';
import type { MessageRecord } from '../../dns/wire/message-reader.ts';
import { equalNames, formatHost, type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { RCODE, TYPE } from '../../dns/wire/types.ts';
import type { Server } from '../../net/resolver/exchange.ts';
import { ParentZones, type ParentZonesOptions, parentText, zoneTitle } from '../../net/resolver/parent-zone.ts';
import { queryServer } from '../../net/resolver/query.ts';
import type { Domain } from '../../store/rows.ts';

/** The delegation of a domain at the servers of the parent. */
export interface ParentNameservers {
  /** The parent zone, without the last dot. */
  readonly zone: string;
  /** The different sets: sorted names without the last dot. */
  readonly sets: readonly (readonly string[])[];
}

/** The parent could not be queried. */
export interface FailedLook {
  /** The reason, as the end of a sentence. */
  readonly trouble: string;
}

/** `all`: every server of the parent. `sample`: the first server that responds. */
type LookExtent = 'all' | 'sample';

type LookedDomain = Pick<Domain, 'apex' | 'accountId'>;

export interface DelegationLook {
  /** Never rejects. */
  look(domain: LookedDomain, extent: LookExtent): Promise<ParentNameservers | FailedLook>;
}

/** Timeout of a look, in milliseconds. */
const LOOK_MS = 20_000;
/** Concurrent looks, in turns by account. */
const MAX_LOOKS = 16;
const MAX_QUEUED = 1000;
/** Milliseconds for which a result is reused, so that requests cannot flood nameservers. */
const REPEAT_MS = 2000;
/** Milliseconds for which the servers of a parent zone are cached, since domains share it. */
const ZONE_MS = 600_000;
const MAX_ZONES = 1000;
/** Maximum of nameservers read from one server; real delegations have at most 13. */
const MAX_NAMESERVERS = 32;
/** Maximum of their characters in total. */
const MAX_CHARACTERS = 2000;
/** Maximum of different sets, which are stored in the row of the domain. */
const MAX_SETS = 8;
/** Maximum of servers that a sample tries. */
const MAX_SAMPLED = 4;

interface ParentZone {
  readonly name: Name;
  /** The servers of each nameserver with a permitted address. */
  readonly hosts: readonly (readonly Server[])[];
  readonly interval: Interval;
}

export class PublicDelegation implements DelegationLook {
  readonly #zones: ParentZones;
  readonly #slots = new FairSlots({ slots: MAX_LOOKS, queue: MAX_QUEUED });
  /** By the parent name of the domain. */
  readonly #parents = new RecentMap<ParentZone>(MAX_ZONES);
  readonly #recent = new Map<string, Promise<ParentNameservers | FailedLook>>();

  /** `stop`: ends all looks. */
  constructor(
    options: ParentZonesOptions,
    private readonly stop: AbortSignal,
  ) {
    this.#zones = new ParentZones(options);
  }

  look({ apex, accountId }: LookedDomain, extent: LookExtent): Promise<ParentNameservers | FailedLook> {
    const id = `${extent} ${nameId(apex)}`;
    const recent = this.#recent.get(id);
    if (recent !== undefined) return recent;
    const owner = { account: String(accountId), network: '' };
    const result = this.#slots.run(owner, () => this.#look(apex, extent), this.stop).catch(troubleOf);
    this.#recent.set(id, result);
    void result.then(() => setTimeout(() => this.#recent.delete(id), REPEAT_MS).unref());
    return result;
  }

  async #look(apex: Name, extent: LookExtent): Promise<ParentNameservers | FailedLook> {
    if (apex.length === 1) return { trouble: 'the root zone has no parent' };
    const signal = AbortSignal.any([this.stop, AbortSignal.timeout(LOOK_MS)]);
    try {
      const { name, hosts } = await this.#parentOf(apex, extent, signal);
      const answers = extent === 'all' ? await askAll(hosts, apex, signal) : await askSome(hosts, apex, signal);
      if (answers.length === 0) return { trouble: `no nameserver of ${zoneTitle(name)} answered` };
      return { zone: parentText(name), sets: sortedSets(answers) };
    } catch (error) {
      if (this.stop.aborted) return { trouble: 'the service is stopping' };
      if (signal.aborted) return { trouble: 'the look took too much time' };
      if (error instanceof InvalidError) return { trouble: 'a server sent a malformed response' };
      return { trouble: (error as Error).message };
    }
  }

  /** The parent zone of a domain. `extent` 'all' ignores the cache. */
  async #parentOf(apex: Name, extent: LookExtent, signal: AbortSignal): Promise<ParentZone> {
    const id = nameId(parentName(apex));
    const remembered = this.#parents.get(id);
    if (extent === 'sample' && remembered !== undefined && remembered.interval.remaining() > 0) return remembered;
    const name = await this.#zones.find(apex, signal);
    const names = await this.#zones.hostsOf(name, signal);
    const hosts = await Promise.all(names.map((host) => this.#zones.serversOf(host, signal)));
    const zone = { name, hosts: hosts.filter(({ length }) => length > 0), interval: new Interval(ZONE_MS) };
    this.#parents.set(id, zone);
    return zone;
  }
}

/** The result of a look that did not start. */
const troubleOf = (error: unknown): FailedLook => ({
  trouble: error instanceof SlotsFullError ? 'too many looks are queued' : 'the service is stopping',
});

function sortedSets(answers: readonly (readonly string[])[]): (readonly string[])[] {
  const sets = new Map(answers.map((set) => [set.join(), set]));
  const keys = [...sets.keys()].sort().slice(0, MAX_SETS);
  return keys.map((key) => sets.get(key) ?? []);
}

async function askAll(
  hosts: readonly (readonly Server[])[],
  apex: Name,
  signal: AbortSignal,
): Promise<(readonly string[])[]> {
  const answers = await Promise.all(hosts.flat().map((server) => askServer(server, apex, signal).catch(() => null)));
  return answers.filter((set) => set !== null);
}

/** Starts with a different server for each domain. */
async function askSome(
  hosts: readonly (readonly Server[])[],
  apex: Name,
  signal: AbortSignal,
): Promise<(readonly string[])[]> {
  const first = apex.reduce((sum, byte) => sum + byte, 0);
  for (let i = 0; i < Math.min(hosts.length, MAX_SAMPLED); i++) {
    const [server] = hosts[(first + i) % hosts.length];
    const set = await askServer(server, apex, signal).catch(() => null);
    signal.throwIfAborted();
    if (set !== null) return [set];
  }
  return [];
}

/** The nameservers of the delegation, sorted; null: the server does not serve the parent zone. */
async function askServer(server: Server, apex: Name, signal: AbortSignal): Promise<readonly string[] | null> {
  const { rcode, isAuthoritative, answer, authority } = await queryServer(server, apex, TYPE.NS, {
    isRecursive: false,
    signal,
  });
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN) return null;
  // A referral, or an authoritative answer if the server also serves the domain.
  const found = nameserversIn([...authority, ...(isAuthoritative ? answer : [])], apex);
  if (found.length > 0) return found;
  return isAuthoritative && authority.some(({ type }) => type === TYPE.SOA) ? [] : null;
}

function nameserversIn(records: readonly MessageRecord[], apex: Name): string[] {
  const hosts = records
    .filter(({ type, name }) => type === TYPE.NS && equalNames(name, apex))
    .map(({ rdata }) => formatHost(nameAt(rdata, 0)).toLowerCase());
  const noted: string[] = [];
  let characters = 0;
  for (const host of [...new Set(hosts)].sort()) {
    characters += host.length;
    if (noted.length === MAX_NAMESERVERS || characters > MAX_CHARACTERS) break;
    noted.push(host);
  }
  return noted;
}
