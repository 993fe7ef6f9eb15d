/** A delivery, with its message and a button to resend it. */
import type { WebhookDelivery } from '../api/views.ts';
import { Time } from '../parts/time.tsx';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { DeliveryBadge } from './badges.tsx';

interface DeliveryEntryProps {
  readonly delivery: WebhookDelivery;
  readonly onReplay: () => void;
}

export function DeliveryEntry({ delivery, onReplay }: DeliveryEntryProps) {
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
