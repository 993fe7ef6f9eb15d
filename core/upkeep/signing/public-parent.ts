/**
 * Queries every nameserver of a parent zone for the DS records of a zone. A resolver finds the
 * parent. Its nameservers are then queried directly, since a resolver answers from its cache. Time
 * and number of queries are limited.
 */
import { InvalidError } from '../../base/errors.ts';
import { FairSlots, SlotsFullError } from '../../base/fair-slots.ts';
import { Interval } from '../../base/timers.ts';
import { equalNames, type Name, nameId } from '../../dns/wire/name.ts';
import { RCODE, TYPE } from '../../dns/wire/types.ts';
import type { Server } from '../../net/resolver/exchange.ts';
import { ParentZones, type ParentZonesOptions, parentText } from '../../net/resolver/parent-zone.ts';
import { queryServer } from '../../net/resolver/query.ts';
import type { Domain } from '../../store/rows.ts';
import { type DsAnswer, type LookResult, mergeAnswers } from './parent.ts';

interface PublicParentOptions extends ParentZonesOptions {
  /** Seconds since 1970; omitted: the system clock. */
  readonly now?: () => number;
}

/** Timeout of a look, in milliseconds. */
const LOOK_MS = 20_000;
/** Concurrent looks, in turns by account. Each has at most 70 queries in flight. */
const MAX_LOOKS = 16;
const MAX_QUEUED = 1000;
/** Milliseconds for which a result is reused, so that requests cannot flood nameservers. */
const REPEAT_MS = 5000;

export class PublicParent {
  readonly #zones: ParentZones;
  readonly #slots = new FairSlots({ slots: MAX_LOOKS, queue: MAX_QUEUED });
  /** Recent looks and looks in flight, by apex. */
  readonly #recent = new Map<string, { readonly interval: Interval; readonly result: Promise<LookResult> }>();

  /** `stop`: ends all looks. */
  constructor(
    private readonly options: PublicParentOptions,
    private readonly stop: AbortSignal,
  ) {
    this.#zones = new ParentZones(options);
  }

  /** Queries the parent for the DS records of a zone. Never rejects. */
  look({ apex, accountId }: Pick<Domain, 'apex' | 'accountId'>): Promise<LookResult> {
    const id = nameId(apex);
    const recent = this.#recent.get(id);
    // The interval also ends if the machine was suspended, since the result is old then.
    if (recent !== undefined && recent.interval.remaining() > 0) return recent.result;
    const owner = { account: String(accountId), network: '' };
    const result = this.#slots.run(owner, () => this.#look(apex), this.stop).catch(troubleOf);
    const look = { interval: new Interval(LOOK_MS + REPEAT_MS), result };
    this.#recent.set(id, look);
    const forget = () => {
      if (this.#recent.get(id) === look) this.#recent.delete(id);
    };
    void look.result.then(() => setTimeout(forget, REPEAT_MS).unref());
    return look.result;
  }

  async #look(apex: Name): Promise<LookResult> {
    const { now = () => Date.now() / 1000 } = this.options;
    const signal = AbortSignal.any([this.stop, AbortSignal.timeout(LOOK_MS)]);
    try {
      const zone = await this.#zones.find(apex, signal);
      const hosts = await this.#zones.hostsOf(zone, signal);
      const answers = await Promise.all(hosts.map((host) => this.#askHost(host, apex, signal)));
      return mergeAnswers(parentText(zone), answers, Math.floor(now()));
    } catch (error) {
      if (this.stop.aborted) return { trouble: 'the service is stopping' };
      if (signal.aborted) return { trouble: 'the look took too much time' };
      if (error instanceof InvalidError) return { trouble: 'a server sent a malformed response' };
      return { trouble: (error as Error).message };
    }
  }

  /** The answers of all addresses of a nameserver that responded. Never rejects. */
  async #askHost(host: Name, apex: Name, signal: AbortSignal): Promise<DsAnswer[]> {
    const servers = await this.#zones.serversOf(host, signal);
    const answers = await Promise.all(servers.map((server) => askServer(server, apex, signal).catch(() => null)));
    return answers.filter((answer) => answer !== null);
  }
}

/** The result of a look that did not start. */
const troubleOf = (error: unknown): LookResult => ({
  trouble: error instanceof SlotsFullError ? 'too many looks are queued' : 'the service is stopping',
});

/** Null: the server does not serve the parent zone. */
async function askServer(server: Server, apex: Name, signal: AbortSignal): Promise<DsAnswer | null> {
  const reply = await queryServer(server, apex, TYPE.DS, { isRecursive: false, signal });
  const { rcode, isAuthoritative, answer, authority } = reply;
  if (!isAuthoritative || (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN)) return null;
  const records = answer.filter((record) => record.type === TYPE.DS && equalNames(record.name, apex));
  // A server with only the child zone answers from that zone (RFC 4035 3.1.4.1).
  if (records.length === 0 && authority.some(({ type, name }) => type === TYPE.SOA && equalNames(name, apex)))
    return null;
  return {
    ds: records.map(({ rdata }) => Buffer.from(rdata).toString('hex')),
    ttl: records.reduce((ttl, record) => Math.max(ttl, record.ttl), 0),
  };
}
