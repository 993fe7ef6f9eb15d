/** Endpoints of webhooks. */

import { NOTHING } from '../../../core/base/schema.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { listOfRows, pageQuery, searchQuery, sortQuery } from '../../http/lists.ts';
import { URL_FAULTS } from '../../http/receiver-url.ts';
import { type Context, route } from '../../http/route.ts';
import {
  deliveriesQuery,
  listDeliveries,
  readDelivery,
  replayDelivery,
  replaySince,
  testWebhook,
} from './deliveries.ts';
import {
  deliveriesResponse,
  deliveryResponse,
  newWebhookResponse,
  replayBody,
  replayResponse,
  webhookBody,
  webhookChangeBody,
  webhookResponse,
  webhooksResponse,
} from './schema.ts';
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook, viewWebhook, webhookOf } from './service.ts';

const SORTS = ['id', 'url', 'created_at'] as const;
const PATH = '/api/v1/webhooks';
const WEBHOOK = `${PATH}/{webhook_id}` as const;
const DELIVERY = `${WEBHOOK}/deliveries/{delivery_id}` as const;
const COMMON = { tag: 'webhooks', scope: 'account' } as const;
const MISSING = { 404: ['no_such_webhook'] };
const MISSING_DELIVERY = { 404: ['no_such_webhook', 'no_such_delivery'] };

export function webhookRoutes(services: Services) {
  const { reader } = services;
  const idOf = ({ params }: Context<Caller>): number => parseId(params.webhook_id);
  return [
    route({
      ...COMMON,
      operationId: 'listWebhooks',
      method: 'GET',
      path: PATH,
      summary: 'List the webhooks of the account',
      description:
        'Their URLs, types of events, and whether they are enabled. Secrets are shown once, when a webhook is created.',
      example: { command: 'waypost webhook list' },
      query: {
        ...pageQuery,
        ...accountQuery,
        ...searchQuery('URL or description'),
        ...sortQuery(SORTS),
      },
      response: webhooksResponse,
      faults: ACTING_FAULTS,
      run(context) {
        const all = reader.webhooksOf(accountOf(reader, context).id);
        const list = listOfRows(all, context.query, {
          sorts: { id: ({ id }) => id, url: ({ url }) => url, created_at: ({ createdAt }) => createdAt },
          texts: ({ url, description }) => [url, description],
        });
        return replyWithList(services.streams, context, 'webhooks', { view: viewWebhook, ...list });
      },
    }),
    route({
      ...COMMON,
      operationId: 'createWebhook',
      method: 'POST',
      path: PATH,
      summary: 'Create a webhook',
      description:
        'Each event is sent to the URL as a POST, signed as Standard Webhooks specifies: the header `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `webhook-id`, `webhook-timestamp` and the body, joined by dots. The response has the secret; no later one does. Without `events`, all types are sent. Every status from 200 to 299 within 10 seconds counts as delivered; others are retried for days. An event may be sent more than once, with the same `webhook-id`.',
      example: {
        body: { url: 'https://hooks.example.com/waypost', events: ['records.*', 'certificate.failed'] },
        command: 'waypost webhook create https://hooks.example.com/waypost --event "records.*" certificate.failed',
      },
      query: accountQuery,
      body: webhookBody,
      response: newWebhookResponse,
      faults: {
        403: ACTING_FAULTS[403],
        404: [...ACTING_FAULTS[404], 'no_such_domain'],
        409: ['webhook_limit'],
        422: URL_FAULTS,
      },
      run(context) {
        return createWebhook(services, context, context.body);
      },
    }),
    route({
      ...COMMON,
      operationId: 'getWebhook',
      method: 'GET',
      path: WEBHOOK,
      summary: 'Get a webhook',
      description: 'Its URL, types of events, and why it was disabled, if it was.',
      response: webhookResponse,
      faults: MISSING,
      run: (context) => viewWebhook(webhookOf(reader, context.caller, idOf(context))),
    }),
    route({
      ...COMMON,
      operationId: 'updateWebhook',
      method: 'PATCH',
      path: WEBHOOK,
      summary: 'Change a webhook',
      description:
        'Omitted fields are unchanged. A webhook that is enabled again receives what changes from then on, and the deliveries that were waiting.',
      example: {
        body: { enabled: true, description: 'Purges our own cache' },
        command: 'waypost webhook update 17 --enable',
      },
      body: webhookChangeBody,
      response: webhookResponse,
      faults: { 404: ['no_such_webhook', 'no_such_domain'], 422: URL_FAULTS },
      run: (context) => updateWebhook(services, context, idOf(context), context.body),
    }),
    route({
      ...COMMON,
      operationId: 'deleteWebhook',
      method: 'DELETE',
      path: WEBHOOK,
      summary: 'Delete a webhook and its deliveries',
      description: 'Deliveries that wait are not sent.',
      example: { command: 'waypost webhook rm 17' },
      response: NOTHING,
      faults: MISSING,
      run: (context) => deleteWebhook(services, context, idOf(context)),
    }),
    route({
      ...COMMON,
      operationId: 'testWebhook',
      method: 'POST',
      path: `${WEBHOOK}/test`,
      summary: 'Send a test event to a webhook',
      description: 'Queues the event `webhook.test`, and returns its delivery.',
      example: { command: 'waypost webhook test 17' },
      response: deliveryResponse,
      faults: { ...MISSING, 409: ['webhook_disabled'] },
      run: (context) => testWebhook(services, context, idOf(context)),
    }),
    route({
      ...COMMON,
      operationId: 'rotateWebhookSecret',
      method: 'POST',
      path: `${WEBHOOK}/rotate-secret`,
      summary: 'Replace the secret of a webhook',
      description: 'For 24 hours, messages have a signature by the previous secret as well.',
      example: { command: 'waypost webhook rotate-secret 17' },
      response: newWebhookResponse,
      faults: MISSING,
      run(context) {
        return rotateSecret(services, context, idOf(context));
      },
    }),
    route({
      ...COMMON,
      operationId: 'listWebhookDeliveries',
      method: 'GET',
      path: `${WEBHOOK}/deliveries`,
      summary: 'List the deliveries of a webhook, newest first',
      description: 'With the event, the state, the attempts, and the last response of the receiver.',
      example: { query: { state: 'failed' }, command: 'waypost webhook deliveries 17 --state failed' },
      query: deliveriesQuery,
      response: deliveriesResponse,
      faults: { 400: ['invalid_state'], ...MISSING },
      run: (context) => listDeliveries(services, context, idOf(context)),
    }),
    route({
      ...COMMON,
      operationId: 'getWebhookDelivery',
      method: 'GET',
      path: DELIVERY,
      summary: 'Get a delivery',
      description: 'With the `payload` that was sent.',
      response: deliveryResponse,
      faults: MISSING_DELIVERY,
      run: (context) => readDelivery(services, context, idOf(context), parseId(context.params.delivery_id)),
    }),
    route({
      ...COMMON,
      operationId: 'replayWebhookDelivery',
      method: 'POST',
      path: `${DELIVERY}/replay`,
      summary: 'Send a delivery again',
      description: 'With the same `webhook-id` and body, and a new timestamp and signature.',
      example: { command: 'waypost webhook replay 17 --delivery 18' },
      response: deliveryResponse,
      faults: { ...MISSING_DELIVERY, 409: ['webhook_disabled'] },
      run: (context) => replayDelivery(services, context, idOf(context), parseId(context.params.delivery_id)),
    }),
    route({
      ...COMMON,
      operationId: 'replayWebhook',
      method: 'POST',
      path: `${WEBHOOK}/replay`,
      summary: 'Send the deliveries since a time again',
      description: 'The failed ones, or with `"state": "all"` the delivered ones too; the oldest 1,000 of them.',
      example: {
        body: { since: '2026-11-27 06:00:00', state: 'failed' },
        command: 'waypost webhook replay 17 --since "2026-11-27 06:00:00"',
      },
      body: replayBody,
      response: replayResponse,
      faults: { ...MISSING, 409: ['webhook_disabled'], 422: ['invalid_time'] },
      run: (context) => replaySince(services, context, idOf(context), context.body),
    }),
  ];
}
