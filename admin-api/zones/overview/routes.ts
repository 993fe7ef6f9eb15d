/** The endpoint of the overview of an account. */
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';
import { overviewResponse } from './schema.ts';
import { AccountSurveys } from './survey.ts';

export function overviewRoutes(services: Services) {
  const surveys = new AccountSurveys(services);
  return [
    route({
      operationId: 'getOverview',
      method: 'GET',
      path: '/api/v1/overview',
      tag: 'operations',
      summary: 'Get what needs attention in all domains of an account',
      description:
        'Delegations, DNSSEC, certificates, origins and transfers, from stored states. The numbers of an account with more than 200 domains may be a minute old; until the first ones are there, `is_complete` is false.',
      scope: 'dns',
      query: accountQuery,
      response: overviewResponse,
      faults: ACTING_FAULTS,
      run: (context) => ({ overview: surveys.read(accountOf(services.reader, context)) }),
    }),
  ];
}
