/** Endpoints of statistics. */
import type { ReadStatistics } from '../../../core/cluster/peer-queries.ts';
import { SUBJECT } from '../../../core/observe/statistics/counts.ts';
import type { Id } from '../../../core/store/keys.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Query } from '../../http/query.ts';
import { route } from '../../http/route.ts';
import { readRange, statisticsQuery } from './range.ts';
import { statisticsResponse } from './schema.ts';
import { viewStatistics } from './view.ts';

const MINUTE = 60;
const INVALID = ['invalid_time', 'invalid_range', 'invalid_step'];
const DESCRIPTION =
  'Counts of all nodes, added up when requested; a node that does not answer in 2 seconds is listed as missing. DNS queries of busy domains are sampled, those of others and requests are counted exactly. Counts are kept for 31 days.';

export function statisticsRoutes({ reader }: Services, readStatistics: ReadStatistics) {
  const describe = async (kind: number, id: Id, query: Query<typeof statisticsQuery>) => {
    const range = readRange(query);
    const { from, to, step } = range;
    const all = await readStatistics({
      kind,
      id,
      from: from / MINUTE,
      step: step / MINUTE,
      points: (to - from) / step,
    });
    return { statistics: viewStatistics(range, kind, all) };
  };
  return [
    route({
      operationId: 'getDomainStatistics',
      method: 'GET',
      path: '/api/v1/domains/{domain_id}/statistics',
      tag: 'operations',
      summary: 'Get the statistics of a domain',
      description: DESCRIPTION,
      example: { query: { step: 3600 }, command: 'waypost statistics example.com --step 3600' },
      scope: 'dns',
      query: statisticsQuery,
      response: statisticsResponse,
      faults: { 404: ['no_such_domain'], 422: INVALID },
      run: ({ caller, params, query }) =>
        describe(SUBJECT.domain, ownedDomain(reader, caller, parseId(params.domain_id)).id, query),
    }),
    route({
      operationId: 'getStatistics',
      method: 'GET',
      path: '/api/v1/statistics',
      tag: 'operations',
      summary: 'Get the statistics of all domains of an account',
      description: DESCRIPTION,
      example: { query: { step: 3600 }, command: 'waypost statistics --step 3600' },
      scope: 'dns',
      query: { ...statisticsQuery, ...accountQuery },
      response: statisticsResponse,
      faults: { ...ACTING_FAULTS, 422: INVALID },
      run: (context) => describe(SUBJECT.account, accountOf(reader, context).id, context.query),
    }),
  ];
}
