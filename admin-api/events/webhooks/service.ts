/** Creates, changes and deletes webhooks. Only creation and rotation return the secret. */

import { StateError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { parseExemptions } from '../../../core/net/address/index.ts';
import { formatSecret, newSecret } from '../../../core/net/delivery/signature.ts';
import { newQueue } from '../../../core/observe/webhooks/queue.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type WebhookRow, webhookContext, webhookQueues, webhooks } from '../../../core/store/rows.ts';
import { type ActingContext, accountOf, mayActFor, requireAccount } from '../../change/acting.ts';
import { change } from '../../change/change.ts';
import { domainOf } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import { readReceiverUrl } from '../../http/receiver-url.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import type { webhookBody } from './schema.ts';

/** Seconds during which messages are also signed with the previous secret. */
const ROTATION = 86_400;
const OF_WEBHOOK = { of: 'a webhook', sending: 'Webhooks are delivered', pointer: '/url' };

type WebhookBody = Partial<BodyOf<typeof webhookBody>>;

/** Throws InvalidError, StateError `webhook_limit`, HttpError 404. */
export function createWebhook(services: Services, context: ActingContext, body: BodyOf<typeof webhookBody>) {
  const { config, journal, secrets } = services;
  const account = accountOf(services.reader, context);
  const chosen = readBody(services, { events: ['*'], description: '', domain_ids: null, enabled: true, ...body });
  const secret = newSecret();
  const now = nowSeconds();
  return change(services, context, (draft) => {
    requireAccount(draft, account);
    requireDomains(draft, account.id, chosen.domains);
    const limit = config.webhooks.maxPerAccount;
    if (draft.webhooksOf(account.id).length >= limit)
      throw new StateError('webhook_limit', `The account has ${limit} webhooks, which is the limit; delete one first.`);
    const id = draft.newId(webhooks);
    const row: WebhookRow = {
      id,
      accountId: account.id,
      ...chosen,
      sealed: secrets.seal(secret, webhookContext(id)).toString('base64'),
      sealedBefore: '',
      signsBeforeUntil: 0,
      since: journal.head,
      failingSince: null,
      disabledReason: null,
      createdAt: now,
      updatedAt: now,
    };
    draft.put(webhooks, row);
    if (draft.webhookQueue() === undefined) draft.put(webhookQueues, newQueue(journal.head, now));
    return {
      action: 'webhook.create',
      accountId: account.id,
      target: id,
      detail: auditDetail(row),
      createResponse: () => ({ secret: formatSecret(secret), ...viewWebhook(row) }),
    };
  });
}

/** Throws InvalidError, HttpError 404. */
export function updateWebhook(services: Services, context: Context<Caller>, id: Id, body: WebhookBody) {
  const chosen = readBody(services, body);
  return change(services, context, (draft) => {
    const before = webhookOf(draft, context.caller, id);
    requireDomains(draft, before.accountId, chosen.domains ?? null);
    const isEnabling = chosen.enabled === true && !before.enabled;
    const row: WebhookRow = {
      ...before,
      ...chosen,
      // Changes during the disabled time are not delivered.
      ...(isEnabling ? { since: services.journal.head, failingSince: null } : {}),
      disabledReason: chosen.enabled === undefined ? before.disabledReason : null,
      updatedAt: nowSeconds(),
    };
    draft.put(webhooks, row);
    return {
      action: 'webhook.update',
      accountId: row.accountId,
      target: id,
      detail: { ...auditDetail(row), before: auditDetail(before) },
      createResponse: () => viewWebhook(row),
    };
  });
}

/** A background task deletes the deliveries. Throws HttpError 404. */
export function deleteWebhook(services: Services, context: Context<Caller>, id: Id) {
  return change(services, context, (draft) => {
    const row = webhookOf(draft, context.caller, id);
    draft.delete(webhooks, row);
    return {
      action: 'webhook.delete',
      accountId: row.accountId,
      target: id,
      detail: auditDetail(row),
      createResponse: () => ({}),
    };
  });
}

/** Throws HttpError 404. */
export function rotateSecret(services: Services, context: Context<Caller>, id: Id) {
  const secret = newSecret();
  const sealed = services.secrets.seal(secret, webhookContext(id)).toString('base64');
  return change(services, context, (draft) => {
    const before = webhookOf(draft, context.caller, id);
    const now = nowSeconds();
    const row: WebhookRow = {
      ...before,
      sealed,
      sealedBefore: before.sealed,
      signsBeforeUntil: now + ROTATION,
      updatedAt: now,
    };
    draft.put(webhooks, row);
    return {
      action: 'webhook.rotate_secret',
      accountId: row.accountId,
      target: id,
      detail: { url: row.url },
      createResponse: () => ({ secret: formatSecret(secret), ...viewWebhook(row) }),
    };
  });
}

/** Throws HttpError 404, also for webhooks of other accounts. */
export function webhookOf(reader: Reader, caller: Caller, id: Id): WebhookRow {
  const row = reader.webhook(id);
  if (row === undefined || !mayActFor(reader, caller, row.accountId))
    throw new HttpError(404, 'no_such_webhook', 'The account has no webhook with this id.');
  return row;
}

interface Chosen {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly domains: readonly Id[] | null;
  readonly enabled: boolean;
}

function readBody(services: Services, body: Required<WebhookBody>): Chosen;
function readBody(services: Services, body: WebhookBody): Partial<Chosen>;
function readBody({ config }: Services, body: WebhookBody): Partial<Chosen> {
  const { url, events, description, domain_ids: domainIds, enabled } = body;
  const exemptions = parseExemptions(config.webhooks.allowPrivateReceivers);
  return {
    ...(url === undefined ? {} : { url: readReceiverUrl(url, exemptions, OF_WEBHOOK) }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(description === undefined ? {} : { description }),
    ...(domainIds === undefined ? {} : { domains: domainIds === null ? null : [...new Set(domainIds)] }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

/** Requires domains of the webhook's account, also for administrators. Throws HttpError 404. */
function requireDomains(draft: Draft, accountId: Id, domains: readonly Id[] | null): void {
  for (const domainId of domains ?? []) domainOf(draft, accountId, domainId);
}

const auditDetail = ({ url, events, domains, enabled }: WebhookRow) => ({ url, events, domain_ids: domains, enabled });

export function viewWebhook(row: WebhookRow) {
  const { id, url, description, events, domains, enabled, failingSince, signsBeforeUntil } = row;
  const status: 'ok' | 'failing' | 'disabled' = enabled ? (failingSince === null ? 'ok' : 'failing') : 'disabled';
  return {
    id,
    url,
    description,
    events,
    domain_ids: domains,
    enabled,
    status,
    disabled_reason: row.disabledReason,
    failing_since: failingSince === null ? null : formatTime(failingSince),
    rotated_until: signsBeforeUntil > nowSeconds() ? formatTime(signsBeforeUntil) : null,
    created_at: formatTime(row.createdAt),
    updated_at: formatTime(row.updatedAt),
  };
}
