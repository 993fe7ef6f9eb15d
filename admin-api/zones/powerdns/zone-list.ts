/**
 * Lists the zones of an account. A list is cached until the next change of any kind: programs that
 * synchronize zones list them often, mostly unchanged.
 */

import { Type } from '@sinclair/typebox';
import { Steps } from '../../../core/base/steps.ts';
import type { Account, Domain } from '../../../core/store/rows.ts';
import { accountOf } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import { reachesDomain } from '../../http/caller.ts';
import { parameter } from '../../http/query.ts';
import type { RawReply } from '../../http/route.ts';
import { ChunkedText } from './chunked-text.ts';
import { readName } from './fields.ts';
import { json, type PowerDnsContext } from './route.ts';
import { describeZone } from './zone-view.ts';

/** Zones read between two checks of the clock. */
const BATCH = 50;
/** Maximum bytes of all cached lists, and of one list. */
const MAX_BYTES = 32 << 20;
const MAX_LIST_BYTES = 8 << 20;

export const zoneListQuery = {
  dnssec: parameter(Type.Boolean(), (text) => text !== 'false'),
  zone: parameter(Type.String(), (text = '') => text),
};

interface CachedList {
  /** Sequence of the last change when the list was built. */
  readonly head: number;
  readonly body: Buffer;
}

export class ZoneLists {
  readonly #lists = new Map<string, CachedList>();
  #bytes = 0;

  constructor(private readonly services: Services) {}

  async reply(context: PowerDnsContext<typeof zoneListQuery>): Promise<RawReply> {
    const { reader } = this.services;
    const { caller, query, headers } = context;
    const account = accountOf(reader, context);
    const { dnssec: withDnssec, zone: wanted } = query;
    const isVisible = (domain: Domain | undefined): domain is Domain =>
      domain !== undefined && domain.accountId === account.id && reachesDomain(caller.token, domain.id);
    const describe = (domain: Domain) => describeZone(this.services, domain, withDnssec);
    if (wanted !== '') {
      const domain = reader.domainByApex(readName(wanted));
      return json(context, isVisible(domain) ? [describe(domain)] : []);
    }
    const { domains: only } = caller.token;
    // A restricted token has few domains.
    if (only !== undefined)
      return json(
        context,
        only
          .map((id) => reader.domain(id))
          .filter(isVisible)
          .map(describe),
      );
    headers['Content-Type'] = 'application/json';
    return { raw: await this.#listAll(account, withDnssec) };
  }

  /** Yields to the event loop: an account may have many zones. */
  async #listAll(account: Account, withDnssec: boolean): Promise<Buffer> {
    const { reader, journal } = this.services;
    const key = `${account.id} ${withDnssec}`;
    const { head } = journal;
    const cached = this.#lists.get(key);
    if (cached?.head === head) return cached.body;
    this.#remove(key);
    const texts = new ChunkedText(',');
    const steps = new Steps();
    for (let after: Uint8Array | null = null; ; ) {
      const batch: Domain[] = reader.domainsOf(account.id, after, BATCH);
      for (const domain of batch) texts.add(JSON.stringify(describeZone(this.services, domain, withDnssec)));
      if (batch.length < BATCH) break;
      after = batch[BATCH - 1].apex;
      await steps.next();
    }
    const body = texts.toBuffer('[', ']');
    if (journal.head === head && body.length <= MAX_LIST_BYTES) this.#store(key, { head, body });
    return body;
  }

  #store(key: string, list: CachedList): void {
    this.#remove(key);
    this.#lists.set(key, list);
    this.#bytes += list.body.length;
    for (const oldest of this.#lists.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#lists.get(key)?.body.length ?? 0;
    this.#lists.delete(key);
  }
}
