/** `waypost statistics`: DNS queries and HTTP requests of a domain, or of all domains. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import { ACCOUNT } from '../base/accounts.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/numbers.ts';
import { addVerb, type Call, option } from '../base/verb.ts';

interface StatisticsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly step?: number;
}

type Statistics = ApiResponse<'getStatistics'>['statistics'];
type Series = Statistics['queries']['by_type'];

/** Entries of a list that fit on a line. */
const MAX_LISTED = 8;

export function addStatisticsCommand(program: Command, context: CommandContext): void {
  addVerb(program, context, {
    usage: 'statistics [domain]',
    about: 'DNS queries and HTTP requests of a domain, or of all',
    more: 'Counts of all nodes, for the last 24 hours if no time is given. With --json, each series has a count for each step.',
    options: [
      ACCOUNT,
      option('--from <time>', 'the start, as "YYYY-MM-DD HH:MM:SS" in UTC; at most 31 days ago'),
      option('--to <time>', 'the end, as "YYYY-MM-DD HH:MM:SS" in UTC'),
      option('--step <seconds>', 'the length of a step: 60, 300, 900, 3600, 21600 or 86400').argParser(
        wholeNumber(60, 86_400),
      ),
    ],
    examples: [
      'waypost statistics example.com',
      'waypost statistics',
      'waypost statistics example.com --step 3600 --json | jq .statistics.requests.by_status',
    ],
    async run(call: Call<StatisticsOptions>, [domainName]) {
      const { from, to, step } = call.options;
      const range = { from, to, step };
      if (domainName === undefined) {
        const query = { ...range, account: call.api.account };
        const body = await call.api.GET('/api/v1/statistics', { params: { query } });
        call.show(body, ...describe('all domains', body.statistics));
        return true;
      }
      const { id: domain_id, domain } = await call.domain(domainName);
      const params = { path: { domain_id }, query: range };
      const body = await call.api.GET('/api/v1/domains/{domain_id}/statistics', { params });
      call.show(body, ...describe(domain, body.statistics));
      return true;
    },
  });
}

function describe(
  of: string,
  { from, to, queries, top_names, requests, bytes, nodes }: Statistics,
): [string, ...string[]] {
  const sampled = queries.sampling === 1 ? '' : `, one in ${queries.sampling} was counted`;
  const names = top_names.map(({ name, queries: total }) => ({ name, total }));
  return [
    `${of}, from ${from} to ${to}`,
    `  queries      ${queries.total}${sampled}`,
    ...line('types', queries.by_type),
    ...line('answers', queries.by_code),
    ...line('names', names),
    `  requests     ${requests.total}`,
    ...line('status', requests.by_status),
    ...line('cache', requests.by_cache),
    `  bytes        ${bytes.total}, of which ${bytes.cached} from the cache`,
    ...(nodes.missing.length === 0
      ? []
      : [`  not counted  ${nodes.missing.join(', ')}: not reachable, or statistics are off`]),
  ];
}

/** The largest totals; no line for none. */
function line(heading: string, series: readonly Pick<Series[number], 'name' | 'total'>[]): readonly string[] {
  if (series.length === 0) return [];
  const entries = series.slice(0, MAX_LISTED).map(({ name, total }) => `${name} ${total}`);
  const more = series.length > MAX_LISTED ? ', …' : '';
  return [`  ${heading.padEnd(11)}  ${entries.join(', ')}${more}`];
}
