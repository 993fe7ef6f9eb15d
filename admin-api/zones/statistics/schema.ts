/** Schemas of statistics. */
import { Type } from '@sinclair/typebox';
import { count, integer, list, time } from '../../../core/base/schema.ts';

const series = Type.Object(
  {
    name: Type.String({ description: 'what is counted, such as "AAAA", "NXDOMAIN", "404" or "hit"' }),
    total: count('the sum of all steps'),
    counts: list(count('the number in a step'), 'one number for each step, the first at `from`'),
  },
  { title: 'StatisticsSeries' },
);

const seriesList = (of: string) => list(series, `${of}, the highest total first; without those that are zero`);

export const statisticsResponse = Type.Object({
  statistics: Type.Object(
    {
      from: time('the start of the first step'),
      to: time('the end of the last step'),
      step: integer(60, 86_400, 'the length of a step in seconds'),
      queries: Type.Object({
        sampling: integer(
          1,
          65_536,
          'of a busy domain, one DNS query in this number was counted, and counts as so many; those of quiet domains are exact; 1: all counts are exact',
        ),
        total: count('DNS queries'),
        by_type: seriesList('queries by type'),
        by_code: seriesList('queries by response code'),
      }),
      top_names: list(
        Type.Object({
          name: Type.String({
            description: 'of a domain relative, "@" for its apex; of an account the whole name',
            examples: ['www'],
          }),
          queries: count('queries that certainly were for this name, sampled like all queries'),
        }),
        'the most queried names, the highest number first',
      ),
      requests: Type.Object({
        total: count('HTTP requests, all of them'),
        by_status: seriesList('requests by status; 499: the client disconnected before the response'),
        by_cache: seriesList('requests by cache result'),
      }),
      bytes: Type.Object({
        total: count('bytes of response bodies'),
        cached: count('those that came from the cache'),
        sent_counts: list(count('bytes in a step'), 'bytes of response bodies, for each step'),
        cached_counts: list(count('bytes in a step'), 'those from the cache, for each step'),
      }),
      nodes: Type.Object({
        answered: list(Type.String(), 'the nodes whose counts are included'),
        missing: list(Type.String(), 'the nodes whose counts are missing: not reachable, or statistics are off'),
      }),
    },
    { title: 'Statistics' },
  ),
});
