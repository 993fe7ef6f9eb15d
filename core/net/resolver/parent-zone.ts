/** Finds the parent zone of a domain, and the addresses of its nameservers, by resolvers. */
import { getServers } from 'node:dns';
import { equalNames, formatHost, isWithin, type Name, nameAt, parentName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { type Exemptions, formatAddress, mayConnect } from '../address/index.ts';
import type { Server } from './exchange.ts';
import { queryResolvers, type RecordReply } from './query.ts';
import { currentOf, parseServer, type Resolvers } from './resolver.ts';

export interface ParentZonesOptions {
  /** In the format of recursiveLookup; empty: the system's resolvers. */
  readonly resolvers: Resolvers;
  /** Addresses of nameservers that are queried although they are not public. */
  readonly exemptions: Exemptions;
  /** Port of the nameservers of parents; omitted: 53. */
  readonly port?: number;
}

const MAX_RESOLVERS = 4;
/** Maximum nameservers to query: the root and most top-level domains have at most 13. */
const MAX_SERVERS = 16;
/** Maximum addresses to query for each nameserver and family. */
const MAX_ADDRESSES = 2;
/** Maximum ancestors that are CNAMEs before the parent zone is found. */
const MAX_STEPS = 16;

export class ParentZones {
  constructor(private readonly options: ParentZonesOptions) {}

  /**
   * The zone of the parent name, from its SOA. Rejects with an Error that can be shown to users.
   */
  async find(apex: Name, signal: AbortSignal): Promise<Name> {
    let name = parentName(apex);
    for (let i = 0; i < MAX_STEPS; i++) {
      const { answer, authority } = await this.#resolve(name, TYPE.SOA, signal);
      if (answer.some((record) => record.type === TYPE.SOA && equalNames(record.name, name))) return name;
      if (answer.length === 0) {
        const soa = authority.find((record) => record.type === TYPE.SOA && isWithin(name, record.name));
        if (soa === undefined) break;
        return soa.name;
      }
      // A CNAME's SOA is that of its target. The parent name is in the zone, or is its apex.
      if (name.length === 1) break;
      name = parentName(name);
    }
    throw new Error(`the parent zone of ${formatHost(apex)} cannot be found`);
  }

  /**
   * The names of a zone's nameservers, sorted. Rejects with an Error that can be shown to users.
   */
  async hostsOf(zone: Name, signal: AbortSignal): Promise<Name[]> {
    const { answer } = await this.#resolve(zone, TYPE.NS, signal);
    const hosts = answer
      .filter((record) => record.type === TYPE.NS && equalNames(record.name, zone))
      .map(({ rdata }) => nameAt(rdata, 0))
      .sort(Buffer.compare);
    if (hosts.length === 0) throw new Error(`the nameservers of ${zoneTitle(zone)} cannot be found`);
    return hosts.slice(0, MAX_SERVERS);
  }

  /**
   * The addresses of a nameserver that may be queried: public and exempt addresses. Never rejects.
   */
  async serversOf(host: Name, signal: AbortSignal): Promise<Server[]> {
    const families = await Promise.all(
      [TYPE.A, TYPE.AAAA].map(async (type) => {
        const reply = await this.#resolve(host, type, signal).catch(() => null);
        return reply?.answer.filter((record) => record.type === type).slice(0, MAX_ADDRESSES) ?? [];
      }),
    );
    const { exemptions, port = 53 } = this.options;
    return families
      .flat()
      .filter(({ rdata }) => mayConnect(rdata, exemptions).public)
      .map(({ rdata }) => ({ address: formatAddress(rdata), port }));
  }

  #resolve(name: Name, type: number, signal: AbortSignal): Promise<RecordReply> {
    const resolvers = currentOf(this.options.resolvers);
    const servers = (resolvers.length > 0 ? resolvers : getServers()).slice(0, MAX_RESOLVERS).map(parseServer);
    return queryResolvers(servers, name, type, signal);
  }
}

export const zoneTitle = (zone: Name): string => (zone.length === 1 ? 'the root zone' : formatHost(zone));

/** A parent zone as the API has it; empty: the root zone. */
export const parentText = (zone: Name): string => (zone.length === 1 ? '' : formatHost(zone));
