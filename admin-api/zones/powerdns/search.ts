/** Searches zones, records and comments as PowerDNS does: `*` and `?` are wildcards. */

import { Type } from '@sinclair/typebox';
import { Steps } from '../../../core/base/steps.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { accountOf } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import { parameter } from '../../http/query.ts';
import { unprocessable } from './errors.ts';
import type { PowerDnsContext } from './route.ts';
import { readPositive } from './server-routes.ts';
import { dotted, zoneIdOf } from './zone-id.ts';
import { ALL_RRSETS, readRecords } from './zone-view.ts';

const TYPES = ['all', 'zone', 'record', 'comment'];
const DEFAULT_MAX = 100;
/** Results of one kind. */
const MAX_RESULTS = 10_000;
const PAGE = 200;
/** Characters of a pattern. */
const MAX_PATTERN = 300;

interface Found {
  readonly object_type: string;
  readonly [field: string]: unknown;
}

interface ZoneFields {
  readonly zone: string;
  readonly zone_id: string;
}

export const searchDataQuery = {
  q: parameter(Type.String(), (text = '') => {
    if (text === '') throw unprocessable('Query q cannot be blank');
    if (text.length > MAX_PATTERN) throw unprocessable(`Query q must not be longer than ${MAX_PATTERN} characters.`);
    return text;
  }),
  object_type: parameter(Type.String(), (text = 'all') => {
    if (TYPES.includes(text)) return text;
    throw unprocessable(`object_type must be one of the following options: ${TYPES.join(', ')}`);
  }),
  max: parameter(Type.Integer(), (text) => {
    const max = text === undefined ? DEFAULT_MAX : readPositive(text, 'Maximum entries must be larger than 0');
    if (max > MAX_RESULTS) throw unprocessable(`Maximum entries must not be larger than ${MAX_RESULTS}.`);
    return max;
  }),
};

export async function searchData(
  services: Services,
  context: PowerDnsContext<typeof searchDataQuery>,
): Promise<Found[]> {
  const { q: pattern, object_type: type, max } = context.query;
  const search = new Search(services, pattern, max, type);
  const account = accountOf(services.reader, context);
  // A search may read all records of an account, so searches are queued.
  return services.locks.exclusive(`search ${account.id}`, async () => {
    for await (const domain of domainsOf(services, context, account.id)) if (!(await search.visit(domain))) break;
    return search.results;
  });
}

async function* domainsOf(
  { reader }: Services,
  { caller: { token } }: PowerDnsContext,
  accountId: number,
): AsyncGenerator<Domain> {
  if (token.domains !== undefined) {
    const domains = token.domains.map((id) => reader.domain(id));
    for (const domain of domains) if (domain?.accountId === accountId) yield domain;
    return;
  }
  for (let after: Uint8Array | null = null; ; ) {
    const page: Domain[] = reader.domainsOf(accountId, after, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page[PAGE - 1].apex;
  }
}

class Search {
  readonly #matches: (text: string) => boolean;
  readonly #steps = new Steps();
  readonly #zones: Found[] = [];
  readonly #records: Found[] = [];
  readonly #comments: Found[] = [];

  constructor(
    private readonly services: Services,
    pattern: string,
    private readonly limit: number,
    private readonly type: string,
  ) {
    this.#matches = matcherOf(pattern);
  }

  get results(): Found[] {
    return [...this.#zones, ...this.#records, ...this.#comments];
  }

  /** False: all lists are full. */
  async visit(domain: Domain): Promise<boolean> {
    const [zones, records, comments] = [this.#needs('zone'), this.#needs('record'), this.#needs('comment')];
    const zone = { zone: dotted(domain.apex), zone_id: zoneIdOf(domain.apex) };
    if (zones && this.#matches(formatHost(domain.apex)))
      this.#zones.push({ name: zone.zone, object_type: 'zone', zone_id: zone.zone_id });
    if (records) await this.#visitRecords(domain, zone);
    if (comments) this.#visitComments(domain, zone);
    await this.#steps.next();
    return zones || records || comments;
  }

  #needs(type: 'zone' | 'record' | 'comment'): boolean {
    const list = { zone: this.#zones, record: this.#records, comment: this.#comments }[type];
    return (this.type === 'all' || this.type === type) && list.length < this.limit;
  }

  async #visitRecords(domain: Domain, zone: ZoneFields): Promise<void> {
    for await (const batch of readRecords(this.services, domain, ALL_RRSETS))
      for (const { name, type, ttl, rdata } of batch) {
        const content = formatRdata(type, rdata);
        if (!this.#matches(formatHost(name)) && !this.#matches(content)) continue;
        this.#records.push({
          content,
          disabled: false,
          name: dotted(name),
          object_type: 'record',
          ttl,
          type: typeName(type),
          ...zone,
        });
        if (this.#records.length >= this.limit) return;
      }
  }

  #visitComments({ id }: Domain, zone: ZoneFields): void {
    const { reader } = this.services;
    if (!reader.hasComments(id)) return;
    for (const { name, type, comments } of reader.commentsOf(id))
      for (const { content } of comments) {
        if (this.#comments.length >= this.limit) return;
        if (!this.#matches(formatHost(name)) && !this.#matches(content)) continue;
        this.#comments.push({ content, name: dotted(name), object_type: 'comment', type: typeName(type), ...zone });
      }
  }
}

/**
 * Without wildcards, the whole text has to be equal. Letters match in upper and lower case. Takes
 * time in proportion to both lengths, unlike a regular expression with many wildcards.
 */
export function matcherOf(pattern: string): (text: string) => boolean {
  const wanted = withoutDot(pattern.toLowerCase());
  return (text) => matches(wanted, withoutDot(text.toLowerCase()));
}

/** Removes the last dot of a name; PowerDNS stores names and contents without it. */
const withoutDot = (text: string): string => (text.length > 1 && text.endsWith('.') ? text.slice(0, -1) : text);

function matches(pattern: string, text: string): boolean {
  let p = 0;
  let star = -1;
  let starText = 0;
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === '*') {
      star = p++;
      starText = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star === -1) return false;
    else {
      // The last wildcard matches one more character. Earlier wildcards need no backtracking.
      p = star + 1;
      t = ++starText;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
