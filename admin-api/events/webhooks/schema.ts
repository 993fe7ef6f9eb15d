/** Schemas of webhooks in requests and responses. */
import { Type } from '@sinclair/typebox';
import {
  anyObject,
  count,
  flag,
  id,
  line,
  list,
  oneOf,
  orNull,
  readOnly,
  text,
  time,
} from '../../../core/base/schema.ts';
import { EVENT_CHOICES } from '../../../core/observe/webhooks/payload.ts';
import { WEBHOOK_STATES } from '../../../core/store/rows.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';

const url = text('an https URL with a public host', { minLength: 1, maxLength: 2048 });
const events = list(oneOf(EVENT_CHOICES), 'types of events, "kind.*" for all of a kind, or "*" for all', {
  minItems: 1,
  maxItems: 32,
});
const description = line(0, 200, 'a description of 200 characters at most');
const domainIds = orNull(
  list(id('a domain'), 'ids of domains', { maxItems: 1000 }),
  'the ids of the domains whose events are delivered, or null for all of the account',
);
const enabled = flag('whether events are delivered');

export const webhookBody = bodySchema(
  Type.Object({
    url,
    events: Type.Optional(events),
    description: Type.Optional(description),
    domain_ids: Type.Optional(domainIds),
    enabled: Type.Optional(enabled),
  }),
);

export const webhookChangeBody = bodySchema(
  Type.Object({
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    domain_ids: Type.Optional(domainIds),
    enabled: Type.Optional(enabled),
    ...readOnly(
      ...(['ok', 'id', 'status', 'disabled_reason', 'failing_since', 'rotated_until'] as const),
      ...(['created_at', 'updated_at'] as const),
    ),
  }),
);

const WEBHOOK_STATUSES = ['ok', 'failing', 'disabled'] as const;

const webhookView = {
  id: id('the webhook'),
  url: text('where events are sent', { examples: ['https://hooks.example.com/waypost'] }),
  description: text('its description', { examples: ['Purges our own cache'] }),
  events: list(Type.String(), 'the chosen types of events'),
  domain_ids: orNull(list(id('a domain'), 'ids of domains'), 'the chosen domains; null: all of the account'),
  enabled,
  status: oneOf(WEBHOOK_STATUSES),
  disabled_reason: orNull(Type.String(), 'why the service has disabled it; null: it has not'),
  failing_since: orNull(time('the first failed attempt since the last successful one')),
  rotated_until: orNull(time('until when the previous secret signs too')),
  created_at: time('when it was created'),
  updated_at: time('when it was last changed'),
};

const secret = text('the secret, "whsec_" and base64; it is shown only once', {
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
});

export const webhookResponse = Type.Object(webhookView);
export const newWebhookResponse = Type.Object({ secret, ...webhookView });

export const webhooksResponse = Type.Object({
  webhooks: list(Type.Object(webhookView, { title: 'Webhook' }), 'the webhooks of the account'),
  ...pageFields,
});

const deliveryView = {
  id: id('the delivery'),
  message: text('the header webhook-id of its attempts', { examples: ['msg_2b1f7c0e9a3d'] }),
  event: text('the type of the event', { examples: ['records.changed'] }),
  seq: orNull(count('the sequence number of the change'), 'the sequence number of the change; null: no change'),
  state: oneOf(WEBHOOK_STATES),
  attempts: count('attempts since the event, or since the last replay'),
  response_status: orNull(Type.Integer(), 'the status of the last response; null: there was none'),
  error: orNull(Type.String(), 'why the last attempt failed; null: it has not'),
  duration_ms: orNull(count('milliseconds'), 'the duration of the last attempt in milliseconds'),
  attempted_at: orNull(time('the last attempt')),
  next_attempt_at: orNull(time('the next attempt')),
  created_at: time('when the event was queued'),
  payload: anyObject('the body that is sent'),
};

export const deliveryResponse = Type.Object(deliveryView);

export const deliveriesResponse = Type.Object({
  deliveries: list(Type.Object(deliveryView, { title: 'WebhookDelivery' }), 'newest first'),
  ...pageFields,
});

export const replayBody = bodySchema(
  Type.Object({
    since: time('the first event that is sent again'),
    state: Type.Optional(oneOf(['failed', 'all'], '"failed", which is the default, or "all" for delivered ones too')),
  }),
);

export const replayResponse = Type.Object({ queued: count('the number of deliveries that are sent again') });
