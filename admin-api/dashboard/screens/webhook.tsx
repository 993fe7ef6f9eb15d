/** A webhook with its deliveries. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { addressOf } from '../addresses.ts';
import type { Webhook, WebhookDelivery } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { DomainNames } from '../parts/domain-names.tsx';
import { ListStatus } from '../parts/list-status.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { PausedNote } from '../parts/paused-note.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import { useInterval } from '../parts/use-interval.ts';
import { useResource } from '../parts/use-resource.ts';
import type { ScreenProps } from '../screen.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { DeliveryBadge, WebhookBadge } from '../webhooks/badges.tsx';
import { WebhookActions } from '../webhooks/webhook-actions.tsx';

/** Deliveries change without an event, so they are reloaded at this interval in milliseconds. */
const REFRESH_MS = 3000;
/** Deliveries per page. */
const PAGE = 25;

const STATES = ['all', 'pending', 'delivered', 'failed'] as const;
type State = (typeof STATES)[number];

export function WebhookPage({ params }: ScreenProps) {
  const id = Number(params.webhook_id);
  const path = { webhook_id: id };
  const webhook = useResource<Webhook>(() => settle(api.GET('/api/v1/webhooks/{webhook_id}', { params: { path } })));
  const { value, failure, load } = webhook;
  usePageTitle(value.value?.url ?? TEXTS.webhooks.title);
  return (
    <div class="stack">
      <p>
        <a href={addressOf('webhooks')}>{TEXTS.webhooks.title}</a>
      </p>
      <PausedNote />
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {value.value === null && failure.value === null && <Skeleton />}
      {value.value !== null && (
        <>
          <Facts webhook={value.value} />
          {!isReader.value && <WebhookActions webhook={value.value} onChange={load} />}
          <Deliveries webhook={value.value} onRefresh={load} />
        </>
      )}
    </div>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const texts = TEXTS.webhook;
  const { url, description, status, events, domain_ids, disabled_reason, failing_since, rotated_until } = webhook;
  return (
    <>
      <div class="domain-head">
        <h1 class="long-text">{url}</h1>
        <WebhookBadge status={status} />
      </div>
      {description !== '' && <p class="hint">{description}</p>}
      {disabled_reason !== null && <p class="note note-bad">{texts.disabled(disabled_reason)}</p>}
      <dl class="facts-row">
        <div>
          <dt>{TEXTS.webhooks.events}</dt>
          <dd>{events.includes('*') ? TEXTS.webhooks.allEvents : events.join(', ')}</dd>
        </div>
        <div>
          <dt>{TEXTS.keys.domains}</dt>
          <dd>{domain_ids === null ? TEXTS.keys.allDomains : <DomainNames ids={domain_ids} />}</dd>
        </div>
        {failing_since !== null && (
          <div>
            <dt>{texts.failingSince}</dt>
            <dd>
              <Time value={failing_since} />
            </dd>
          </div>
        )}
        {rotated_until !== null && (
          <div>
            <dt>{texts.rotatedUntil}</dt>
            <dd>
              <Time value={rotated_until} />
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly onRefresh: () => Promise<void>;
}

function Deliveries({ webhook: { id, enabled }, onRefresh }: DeliveriesProps) {
  const texts = TEXTS.webhook;
  const state = useSignal<State>('all');
  const path = { webhook_id: id };
  const list = usePagedList(state.value, async (cursor): Promise<Result<Page<WebhookDelivery>>> => {
    const query = { ...pageQuery(cursor, '', PAGE), ...(state.value === 'all' ? {} : { state: state.value }) };
    const result = await settle(api.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params: { path, query } }));
    if (!result.ok) return result;
    const { deliveries, next_cursor } = result.data;
    return { ...result, data: { rows: deliveries, cursor: next_cursor } };
  });
  const { found, loadMore, refresh } = list;
  useInterval(async () => {
    await Promise.all([refresh(), onRefresh()]);
  }, REFRESH_MS);
  const { failure, run } = useAction();
  const replay = (delivery_id: number) => async (): Promise<void> => {
    const params = { path: { webhook_id: id, delivery_id } };
    const request = async (): Promise<Failure | null> => {
      const result = await settle(
        api.POST('/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay', { params }),
      );
      return result.ok ? null : result.failure;
    };
    if (!(await run(request))) return;
    announce(texts.replayed);
    await refresh();
  };
  const replayFailed = async (): Promise<void> => {
    const request = async (): Promise<Failure | null> => {
      const body = { since: '1970-01-01 00:00:00', state: 'failed' as const };
      const result = await settle(api.POST('/api/v1/webhooks/{webhook_id}/replay', { params: { path }, body }));
      if (!result.ok) return result.failure;
      announce(texts.replayedFailed(result.data.queued));
      return null;
    };
    if (await run(request)) await refresh();
  };
  const rows = found.value?.rows ?? [];
  return (
    <section class="stack">
      <h2>{texts.deliveries}</h2>
      <div class="tools">
        <select
          aria-label={texts.state}
          value={state.value}
          onChange={(event) => {
            state.value = event.currentTarget.value as State;
          }}
        >
          {STATES.map((each) => (
            <option key={each} value={each}>
              {texts.states[each]}
            </option>
          ))}
        </select>
        {!isReader.value && enabled && (
          <button type="button" class="button" onClick={replayFailed}>
            {texts.replayFailed}
          </button>
        )}
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <ListStatus list={list} />
      {found.value !== null && rows.length === 0 && (
        <section class="empty">
          <h3>{texts.empty}</h3>
          <p>{texts.emptyHint}</p>
        </section>
      )}
      <ul class="keys">
        {rows.map((delivery) => (
          <DeliveryEntry key={delivery.id} delivery={delivery} onReplay={replay(delivery.id)} />
        ))}
      </ul>
      {(found.value?.cursor ?? null) !== null && (
        <button type="button" class="button" onClick={loadMore}>
          {TEXTS.lists.more}
        </button>
      )}
    </section>
  );
}

interface DeliveryEntryProps {
  readonly delivery: WebhookDelivery;
  readonly onReplay: () => void;
}

/** A delivery, with its message and a button to resend it. */
function DeliveryEntry({ delivery, onReplay }: DeliveryEntryProps) {
  const texts = TEXTS.webhook;
  const { id, event, state, attempts, response_status, error, created_at, next_attempt_at, payload } = delivery;
  const response = error ?? (response_status === null ? null : texts.response(response_status));
  return (
    <li class="card key">
      <div class="head-row">
        <h3>
          {event} <DeliveryBadge state={state} />
        </h3>
        {!isReader.value && (
          <button type="button" class="button" aria-label={texts.replayOne(event, id)} onClick={onReplay}>
            {texts.replay}
          </button>
        )}
      </div>
      <p class="hint">
        <Time value={created_at} />
        {`, ${texts.attempts(attempts)}`}
        {response !== null && `, ${response}`}
        {next_attempt_at !== null && attempts > 0 && (
          <>
            {`. ${texts.next}: `}
            <Time value={next_attempt_at} format="clock" />
          </>
        )}
      </p>
      <details>
        <summary>{texts.payload}</summary>
        <pre class="code-block">{JSON.stringify(payload, null, 2)}</pre>
      </details>
    </li>
  );
}
