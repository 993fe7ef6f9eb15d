/** The delivery of a domain's request logs: its state on each node, and a test of the receiver. */
import { Type } from '@sinclair/typebox';
import { StateError } from '../../../core/base/errors.ts';
import { count, flag, list, orNull, text, time } from '../../../core/base/schema.ts';
import type { ReadLogStates } from '../../../core/cluster/peer-queries.ts';
import type { Attempt } from '../../../core/net/delivery/sender.ts';
import { change } from '../../change/change.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';

export interface DomainLogs {
  readonly readStates: ReadLogStates;
  /** Sends a line immediately. Null: log delivery is off for the domain. */
  test(domainId: number, line: string): Promise<Attempt | null>;
}

const nodeState = Type.Object(
  {
    node: text('the node, which delivers the lines of its own requests', { examples: ['ns1'] }),
    since: time('when it began to count'),
    delivered_lines: count('lines that the receiver has accepted'),
    delivered_batches: count('batches that the receiver has accepted'),
    dropped_lines: count('lines that were dropped: they waited too long, were too many, or were refused'),
    waiting_lines: count('lines that wait for delivery'),
    last_delivered_at: orNull(time('the last accepted batch'), 'null: there was none'),
    last_error_at: orNull(time('the last failed attempt'), 'null: there was none'),
    last_error: orNull(Type.String(), 'why the last attempt failed; null: it has not'),
    failures: count('failed attempts in a row'),
  },
  { title: 'LogsNodeState' },
);

const logsStateResponse = Type.Object({
  nodes: list(nodeState, 'the nodes that answered'),
  missing_nodes: list(Type.String(), 'the names of nodes that did not answer within 2 seconds'),
});

const logsTestResponse = Type.Object({
  delivered: flag('whether the receiver has accepted the line'),
  status: orNull(Type.Integer(), 'the status of the response; null: there was none'),
  error: orNull(Type.String(), 'why the attempt failed; null: it has not'),
  duration_ms: count('milliseconds'),
});

const PATH = '/api/v1/domains/{domain_id}/proxy/logs';

export function logsStateRoutes(services: Services, logs: DomainLogs) {
  const { reader } = services;
  return [
    route({
      operationId: 'getLogsState',
      method: 'GET',
      path: `${PATH}/state`,
      tag: 'proxy',
      summary: 'Get the state of the delivery of request logs on each node',
      description: 'Counts begin when a node starts.',
      example: { command: 'waypost logs state example.com' },
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
      example: { command: 'waypost logs test example.com' },
      scope: 'proxy',
      response: logsTestResponse,
      faults: { 404: ['no_such_domain'], 409: ['logs_disabled'] },
      async run(context) {
        const domain = ownedDomain(reader, context.caller, parseId(context.params.domain_id));
        const line = { test: true, time: new Date(nowSeconds() * 1000).toISOString(), domain_id: domain.id };
        const attempt = await logs.test(domain.id, `${JSON.stringify(line)}\n`);
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
