/** The webhooks of the account. */
import { addressOf } from '../addresses.ts';
import type { Webhook } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { KeyList } from '../keys/key-list.tsx';
import { DomainNames } from '../parts/domain-names.tsx';
import { type Page, pageQuery } from '../parts/paged-list.ts';
import { PausedNote } from '../parts/paused-note.tsx';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { WebhookBadge } from '../webhooks/badges.tsx';

interface ListedWebhook extends Webhook {
  readonly name: string;
}

const SORTS = [
  { value: 'id', label: TEXTS.webhooks.sorts.oldest },
  { value: '-id', label: TEXTS.webhooks.sorts.newest },
  { value: 'url', label: TEXTS.webhooks.sorts.url },
];

async function readWebhooks(cursor: string | null, q: string, sort: string): Promise<Result<Page<ListedWebhook>>> {
  const query = { ...pageQuery(cursor, q), sort: sort as 'id' };
  const result = await settle(api.GET('/api/v1/webhooks', { params: { query } }));
  if (!result.ok) return result;
  const { webhooks, next_cursor, total } = result.data;
  const rows = webhooks.map((webhook) => ({ ...webhook, name: webhook.url }));
  return { ...result, data: { rows, cursor: next_cursor, total } };
}

async function removeWebhook(webhook_id: number): Promise<Failure | null> {
  const result = await settle(api.DELETE('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id } } }));
  return result.ok ? null : result.failure;
}

export function Webhooks() {
  const texts = TEXTS.webhooks;
  return (
    <div class="stack">
      <PausedNote />
      <KeyList
        texts={texts}
        explanation={texts.explanation}
        addPage="addWebhook"
        kind="webhook"
        sorts={SORTS}
        read={readWebhooks}
        remove={removeWebhook}
        removal={{ title: texts.removeTitle, text: texts.removeText, label: texts.remove, done: texts.removed }}
        renderKey={(webhook, onRemove) => <WebhookEntry key={webhook.id} webhook={webhook} onRemove={onRemove} />}
      />
    </div>
  );
}

function WebhookEntry({ webhook, onRemove }: { readonly webhook: Webhook; readonly onRemove: () => void }) {
  const texts = TEXTS.webhooks;
  const { id, url, description, events, domain_ids, status } = webhook;
  return (
    <li class="card key">
      <div class="head-row">
        <h2 class="long-text">
          <a href={addressOf('webhook', { webhook_id: id })}>{url}</a>
        </h2>
        {!isReader.value && (
          <button type="button" class="button" aria-label={texts.removeOne(url)} onClick={onRemove}>
            {texts.remove}
          </button>
        )}
      </div>
      {description !== '' && <p class="hint">{description}</p>}
      <dl class="facts-row">
        <div>
          <dt>{texts.status}</dt>
          <dd>
            <WebhookBadge status={status} />
          </dd>
        </div>
        <div>
          <dt>{texts.events}</dt>
          <dd>{events.includes('*') ? texts.allEvents : events.join(', ')}</dd>
        </div>
        <div>
          <dt>{TEXTS.keys.domains}</dt>
          <dd>{domain_ids === null ? TEXTS.keys.allDomains : <DomainNames ids={domain_ids} />}</dd>
        </div>
      </dl>
    </li>
  );
}
