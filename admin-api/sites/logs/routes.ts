/** Endpoints of the request logs of a domain. */
import { StateError } from '../../../core/base/errors.ts';
import type { ReadLogStates } from '../../../core/cluster/peer-queries.ts';
import type { Attempt } from '../../../core/net/delivery/sender.ts';
import { NO_LOGS } from '../../../core/site/logs/document.ts';
import { change } from '../../change/change.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { URL_FAULTS } from '../../http/receiver-url.ts';
import { route } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { documentRoutes } from '../proxy/documents.ts';
import { readLogs, viewLogs } from './document.ts';
import { logsBody, logsStateResponse, logsTestResponse, logsView } from './schema.ts';

export interface DomainLogs {
  readonly readStates: ReadLogStates;
  /** Sends a line immediately. Null: log delivery is off for the domain. */
  test(domainId: number, line: string): Promise<Attempt | null>;
}

const PATH = '/api/v1/domains/{domain_id}/proxy/logs';

export function logRoutes(services: Services, logs: DomainLogs) {
  const { reader } = services;
  return [
    ...documentRoutes(services, {
      kind: 'logs',
      path: 'logs',
      name: 'Logs',
      title: 'delivery of request logs',
      description:
        'Requests to the sites of the domain are delivered as lines of JSON, in batches with gzip, to an HTTPS endpoint or to a bucket. A POST has `webhook-id` and `webhook-timestamp`, and with a signing secret `webhook-signature` as Standard Webhooks specifies, over the compressed body. `waypost-lines` and `waypost-dropped` are the numbers of lines in the batch and of those dropped since the last one. Each node delivers its own requests. A failed batch is retried for 15 minutes; lines wait in limited memory, and those that are dropped are counted. Secrets are stored encrypted and never shown; those that are omitted stay.',
      body: logsBody,
      view: logsView,
      empty: NO_LOGS,
      faults: ['invalid_logs', ...URL_FAULTS],
      check: readLogs,
      show: viewLogs,
    }),
    route({
      operationId: 'getLogsState',
      method: 'GET',
      path: `${PATH}/state`,
      tag: 'proxy',
      summary: 'Get the state of the delivery of request logs on each node',
      description: 'Counts begin when a node starts.',
      scope: 'proxy',
      response: logsStateResponse,
      faults: { 404: ['no_such_domain'] },
      async run({ caller, params }) {
        const { id } = ownedDomain(reader, caller, parseId(params.domain_id));
        const { answers, missing } = await logs.readStates(id);
        const timeOf = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));
        return {
          nodes: answers.map((state) => ({
            ...state,
            since: formatTime(state.since),
            last_delivered_at: timeOf(state.last_delivered_at),
            last_error_at: timeOf(state.last_error_at),
          })),
          missing_nodes: missing,
        };
      },
    }),
    route({
      operationId: 'testLogs',
      method: 'POST',
      path: `${PATH}/test`,
      tag: 'proxy',
      summary: 'Send a line to the receiver of request logs now',
      description: 'The line is `{"test": true, "time", "domain_id"}`. The node that receives the request sends it.',
      scope: 'proxy',
      response: logsTestResponse,
      faults: { 404: ['no_such_domain'], 409: ['logs_disabled'] },
      async run(context) {
        const domain = ownedDomain(reader, context.caller, parseId(context.params.domain_id));
        const time = new Date(nowSeconds() * 1000).toISOString();
        const attempt = await logs.test(domain.id, `${JSON.stringify({ test: true, time, domain_id: domain.id })}\n`);
        if (attempt === null)
          throw new StateError('logs_disabled', 'The logs of this domain are not delivered; enable them first.');
        const { status, error, milliseconds } = attempt;
        return change(services, context, () => ({
          action: 'proxy.logs_test',
          detail: { status, error },
          domain,
          target: domain.id,
          createResponse: () => ({ delivered: error === null, status, error, duration_ms: milliseconds }),
        }));
      },
    }),
  ];
}
