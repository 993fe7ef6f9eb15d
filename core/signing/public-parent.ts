/**
 * Asks every nameserver of a parent zone for the DS records of a zone: the parent is found by a
 * resolver, and then its servers are asked directly, since a resolver answers from its cache.
 * Bounded in time and in the number of queries.
 */
import { getServers } from 'node:dns';
import { type Exemptions, formatAddress, mayConnect } from '../address/index.ts';
import { InvalidError } from '../base/errors.ts';
import { Interval } from '../base/interval.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { Server } from '../resolver/exchange.ts';
import { queryResolvers, queryServer, type RecordReply } from '../resolver/query.ts';
import { parseServer } from '../resolver/resolver.ts';
import { equalNames, formatHost, isWithin, type Name, nameAt, nameId, parentName } from '../wire/name.ts';
import { RCODE, TYPE } from '../wire/types.ts';
import { type DsAnswer, type LookResult, mergeAnswers } from './parent-look.ts';

export interface PublicParentOptions {
  /** As recursiveLookup takes them; empty: those of the system. */
  readonly resolvers: readonly string[];
  /** Addresses of nameservers that are asked although they are not public. */
  readonly exemptions: Exemptions;
  /** Port of the nameservers of parents; omitted: 53. */
  readonly port?: number;
  /** Seconds since 1970; omitted: the clock of the machine. */
  readonly now?: () => number;
}

/** Milliseconds for a whole look. */
const LOOK_MS = 20_000;
const MAX_RESOLVERS = 4;
/** Nameservers that are asked: the root and most top-level domains have at most 13. */
const MAX_SERVERS = 16;
/** Addresses of each family that are asked, for each nameserver. */
const MAX_ADDRESSES = 2;
/** Labels of a name that are CNAMEs before the parent zone is found. */
const MAX_STEPS = 16;
/** Looks at the same time; others wait. Each has at most 70 queries in flight. */
const MAX_LOOKS = 16;
/** Milliseconds in which a zone is looked at once: requests cannot flood other nameservers. */
const REPEAT_MS = 5000;

export class PublicParent {
  readonly #options: PublicParentOptions;
  readonly #stop: AbortSignal;
  readonly #slots = new Semaphore(MAX_LOOKS);
  /** Looks of the last seconds, and those in flight, by apex. */
  readonly #recent = new Map<string, { readonly interval: Interval; readonly result: Promise<LookResult> }>();

  /** `stop`: ends all looks. */
  constructor(options: PublicParentOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
  }

  /** Never rejects. `apex`: of the zone whose DS records are looked for. */
  look(apex: Name): Promise<LookResult> {
    const id = nameId(apex);
    const recent = this.#recent.get(id);
    // A result of before the machine was suspended is not one of now.
    if (recent !== undefined && recent.interval.remaining() > 0) return recent.result;
    const look = { interval: new Interval(LOOK_MS + REPEAT_MS), result: this.#slots.run(() => this.#look(apex)) };
    this.#recent.set(id, look);
    const forget = () => {
      if (this.#recent.get(id) === look) this.#recent.delete(id);
    };
    void look.result.then(() => setTimeout(forget, REPEAT_MS).unref());
    return look.result;
  }

  async #look(apex: Name): Promise<LookResult> {
    const { now = () => Date.now() / 1000 } = this.#options;
    const signal = AbortSignal.any([this.#stop, AbortSignal.timeout(LOOK_MS)]);
    try {
      const zone = await this.#findParent(apex, signal);
      const hosts = await this.#findServers(zone, signal);
      const answers = await Promise.all(hosts.map((host) => this.#askHost(host, apex, signal)));
      return mergeAnswers(formatHost(zone), answers, Math.floor(now()));
    } catch (error) {
      if (this.#stop.aborted) return { trouble: 'the service is stopping' };
      if (signal.aborted) return { trouble: 'the look took too much time' };
      if (error instanceof InvalidError) return { trouble: 'a server sent a malformed response' };
      return { trouble: (error as Error).message };
    }
  }

  /** The zone of the name above, as its SOA says. */
  async #findParent(apex: Name, signal: AbortSignal): Promise<Name> {
    let name = parentName(apex);
    for (let i = 0; i < MAX_STEPS; i++) {
      const { answer, authority } = await this.#resolve(name, TYPE.SOA, signal);
      if (answer.some((record) => record.type === TYPE.SOA && equalNames(record.name, name))) return name;
      if (answer.length === 0) {
        const soa = authority.find((record) => record.type === TYPE.SOA && isWithin(name, record.name));
        if (soa === undefined) break;
        return soa.name;
      }
      // A CNAME leads elsewhere; the name above is in the same zone, or at its apex.
      if (name.length === 1) break;
      name = parentName(name);
    }
    throw new Error(`the parent zone of ${formatHost(apex)} cannot be found`);
  }

  async #findServers(zone: Name, signal: AbortSignal): Promise<Name[]> {
    const { answer } = await this.#resolve(zone, TYPE.NS, signal);
    const hosts = answer
      .filter((record) => record.type === TYPE.NS && equalNames(record.name, zone))
      .map(({ rdata }) => nameAt(rdata, 0))
      .sort(Buffer.compare);
    if (hosts.length === 0)
      throw new Error(`the nameservers of ${formatHost(zone) || 'the root zone'} cannot be found`);
    return hosts.slice(0, MAX_SERVERS);
  }

  /** Of each address that answers. Never rejects. */
  async #askHost(host: Name, apex: Name, signal: AbortSignal): Promise<DsAnswer[]> {
    const families = await Promise.all(
      [TYPE.A, TYPE.AAAA].map(async (type) => {
        const reply = await this.#resolve(host, type, signal).catch(() => null);
        return reply?.answer.filter((record) => record.type === type).slice(0, MAX_ADDRESSES) ?? [];
      }),
    );
    const { exemptions, port = 53 } = this.#options;
    const addresses = families.flat().filter(({ rdata }) => mayConnect(rdata, exemptions).public);
    const answers = await Promise.all(
      addresses.map(({ rdata }) => askServer({ address: formatAddress(rdata), port }, apex, signal).catch(() => null)),
    );
    return answers.filter((answer) => answer !== null);
  }

  #resolve(name: Name, type: number, signal: AbortSignal): Promise<RecordReply> {
    const { resolvers } = this.#options;
    const servers = (resolvers.length > 0 ? resolvers : getServers()).slice(0, MAX_RESOLVERS).map(parseServer);
    return queryResolvers(servers, name, type, signal);
  }
}

/** Null: the server does not serve the parent zone. */
async function askServer(server: Server, apex: Name, signal: AbortSignal): Promise<DsAnswer | null> {
  const reply = await queryServer(server, apex, TYPE.DS, { isRecursive: false, signal });
  const { rcode, isAuthoritative, answer, authority } = reply;
  if (!isAuthoritative || (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN)) return null;
  const records = answer.filter((record) => record.type === TYPE.DS && equalNames(record.name, apex));
  // A server that has only the child zone answers from there (RFC 4035 3.1.4.1).
  if (records.length === 0 && authority.some(({ type, name }) => type === TYPE.SOA && equalNames(name, apex)))
    return null;
  return {
    ds: records.map(({ rdata }) => Buffer.from(rdata).toString('hex')),
    ttl: records.reduce((ttl, record) => Math.max(ttl, record.ttl), 0),
  };
}
