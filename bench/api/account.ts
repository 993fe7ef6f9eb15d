/** One account with very many domains: how long its lists, searches, sums and creations take. */
import { percentile } from '../writes/statistics.ts';
import type { Call } from './contender.ts';
import { drive, type Measured } from './drive.ts';
import { FRESH } from './plan.ts';
import type { WaypostApi } from './waypost.ts';

/** Milliseconds that the 99th percentile may have. */
const WITHIN = 10;
/** Of pages in any order, too. */
const PAGE_WITHIN = 20;

export interface Operation {
  readonly text: string;
  readonly clients: number;
  /** Milliseconds: the goal for the 99th percentile. */
  readonly within: number;
  readonly figure: Measured;
}

export interface AccountResult {
  readonly domains: number;
  /** Seconds that it took 32 clients to create them. */
  readonly seconds: number;
  readonly operations: readonly Operation[];
  /**
   * Milliseconds in which a search that follows every cursor has seen all domains, and its pages.
   */
  readonly search: { readonly milliseconds: number; readonly pages: number };
}

const PASSWORD = 'many-domains-on-loopback';
/** In the name of one domain only. */
const RARE = 'needle';
/** Domains whose proxy is on. */
const PROXIED = 1000;
const SORTS = ['domain', 'created_at', 'updated_at', 'record_count'];
/** Places from which deep pages are read. */
const DEEP = 16;
const SEARCHES = 5;

interface DomainPage {
  readonly domains: readonly { readonly domain: string }[];
  readonly next_cursor: string | null;
}

/**
 * Makes the account and its domains, and measures. `seconds`: of each measurement. `server` is the
 * admin's view; its process is pinned by who calls.
 */
export async function measureAccount(
  server: WaypostApi,
  domains: number,
  seconds: number,
  work: string,
  say: (line: string) => void,
): Promise<AccountResult> {
  const login = { username: 'many', password: PASSWORD, role: 'user', plan: 'unlimited' };
  await server.ask('POST', '/api/v1/accounts', login);
  const exchange = { login: login.username, password: PASSWORD, name: 'bench' };
  const { token } = (await server.ask('POST', '/api/v1/auth/token', exchange)) as { token: string };
  const account = server.as(token);

  const post = account.call('POST', '/api/v1/domains', { domain: `d${FRESH}.example` }, [
    '"domain":{"id":',
    '.example"',
  ]);
  const filling = { order: 'own', clients: 32, keepAlive: true, seconds: 3600, count: domains - 1 } as const;
  const filled = await drive(account, [post], filling, work);
  if (filled.wrong > 0) throw new Error(`${filled.wrong} domains were not created: ${filled.firstWrong}`);
  await account.ask('POST', '/api/v1/domains', { domain: `${RARE}.example` });
  say(`${domains} domains created in ${filled.seconds.toFixed(1)} s`);

  const deep = await deepCursors(account, domains);
  const page = ['"domains":[{"id":', '"next_cursor":"'];
  const get = (path: string, contains?: readonly string[]) => account.call('GET', path, undefined, contains);
  const search = (text: string, contains?: readonly string[]) => get(`/api/v1/domains?q=${text}`, contains);
  const measured: [string, Call[]][] = [
    ['GET /domains?limit=100, first page', [get('/api/v1/domains?limit=100', page)]],
    ['the same, deep pages', deep.map((cursor) => get(`/api/v1/domains?limit=100&cursor=${cursor}`, page))],
    ['GET /domains?q=, in every name', [search('example', page)]],
    ['GET /domains?q=, in one name', [search(RARE)]],
    ['GET /domains?q=, in no name', [search('nowhere', ['"domains":[]'])]],
    ['GET /account', [get('/api/v1/account', ['"domain_count":'])]],
    ['POST /domains', [post]],
  ];
  const lists: [string, Call[]][] = [];
  for (const [text, path, contains] of await listsOf(account))
    for (const [place, cursor] of Object.entries(await placesOf(account, path)))
      lists.push([`${text}, ${place} page`, [get(`${path}limit=100${cursor}`, [contains])]]);
  const operations: Operation[] = [];
  const plans = [
    ...lists.map((list) => ({ list, within: PAGE_WITHIN, counts: [1] })),
    ...measured.map((list) => ({ list, within: WITHIN, counts: [1, 8] })),
  ];
  for (const { list, within, counts } of plans) {
    const [text, calls] = list;
    for (const clients of counts) {
      const figure = await drive(account, calls, { order: 'rotate', clients, keepAlive: true, seconds }, work);
      operations.push({ text, clients, within, figure });
      say(
        `${text}, ${clients} at a time: p50 ${figure.p50.toFixed(2)} p99 ${figure.p99.toFixed(2)} max ${figure.max.toFixed(2)} ms${figure.wrong > 0 ? `  WRONG ${figure.wrong}: ${figure.firstWrong}` : ''}`,
      );
    }
  }
  return { domains, seconds: filled.seconds, operations, search: await wholeSearch(account) };
}

/** Lists with their paths, up to the parameters of a page, and a part of the body. */
async function listsOf(account: WaypostApi): Promise<[text: string, path: string, contains: string][]> {
  const { domains } = (await account.ask('GET', `/api/v1/domains?limit=${PROXIED}`)) as unknown as {
    domains: { id: string }[];
  };
  for (const { id } of domains) {
    await account.ask('PUT', `/api/v1/domains/${id}/proxy`, { origin: '1.1.1.1', port: 80 });
    await account.ask('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  }
  return [
    ...SORTS.map((sort): [string, string, string] => [
      `GET /domains by ${sort}`,
      `/api/v1/domains?sort=${sort}&`,
      '"domains":[{"id":',
    ]),
    ['GET /certificates', '/api/v1/certificates?', '"certificates":[{'],
    ['GET /certificates?only=problems', '/api/v1/certificates?only=problems&', '"certificates":['],
    ['GET /audit', '/api/v1/audit?', '"entries":[{"id":'],
  ];
}

/** The parameters of the first page of a list, and of a page in the middle and at its end. */
async function placesOf(account: WaypostApi, path: string): Promise<Record<string, string>> {
  const cursors: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const answer = await account.ask('GET', `${path}limit=1000${next === '' ? '' : `&cursor=${next}`}`);
    next = answer.next_cursor as string | null;
    if (next !== null) cursors.push(`&cursor=${next}`);
  }
  const [middle, last] = [cursors[cursors.length >> 1], cursors.at(-1)];
  return { first: '', ...(middle !== undefined && { middle }), ...(last !== undefined && { last }) };
}

async function deepCursors(account: WaypostApi, domains: number): Promise<string[]> {
  const cursors: string[] = [];
  let cursor = '';
  for (let seen = 0; seen < domains; seen += 1000) {
    const path = `/api/v1/domains?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { next_cursor: next, domains: found } = (await account.ask('GET', path)) as unknown as DomainPage;
    if (next === null) break;
    if (found.length !== 1000) throw new Error(`A page has ${found.length} domains of 1000.`);
    cursor = next;
    cursors.push(cursor);
  }
  // The last page may be short of 100.
  cursors.pop();
  const step = Math.max(1, Math.floor(cursors.length / DEEP));
  const chosen = cursors.filter((_, i) => i % step === step - 1).slice(0, DEEP);
  if (chosen.length === 0) throw new Error(`${domains} domains are too few for deep pages.`);
  return chosen;
}

/** Searches to the end of the list, and finds the one domain once. */
async function wholeSearch(account: WaypostApi): Promise<{ milliseconds: number; pages: number }> {
  const times: number[] = [];
  let pages = 0;
  for (let i = 0; i < SEARCHES; i++) {
    const found: string[] = [];
    let next: string | null = '';
    pages = 0;
    const began = performance.now();
    while (next !== null) {
      const path = `/api/v1/domains?q=${RARE}${next === '' ? '' : `&cursor=${next}`}`;
      const page = (await account.ask('GET', path)) as unknown as DomainPage;
      found.push(...page.domains.map(({ domain }) => domain));
      next = page.next_cursor;
      pages++;
    }
    times.push(performance.now() - began);
    if (found.join() !== `${RARE}.example`)
      throw new Error(`The search for "${RARE}" found ${found.join() || 'nothing'}.`);
  }
  return { milliseconds: percentile(times, 50), pages };
}
