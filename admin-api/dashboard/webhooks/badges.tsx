/** Badges with the states of webhooks and deliveries. */
import type { Webhook, WebhookDelivery } from '../api/views.ts';
import { TEXTS } from '../texts.ts';

const STATUS_TONES = { ok: 'badge-good', failing: 'badge-warning', disabled: 'badge-bad' } as const;
const STATE_TONES = { pending: '', delivered: 'badge-good', failed: 'badge-bad' } as const;

export function WebhookBadge({ status }: Pick<Webhook, 'status'>) {
  return <span class={`badge ${STATUS_TONES[status]}`}>{TEXTS.webhooks.statuses[status]}</span>;
}

export function DeliveryBadge({ state }: Pick<WebhookDelivery, 'state'>) {
  return <span class={`badge ${STATE_TONES[state]}`}>{TEXTS.webhook.states[state]}</span>;
}
