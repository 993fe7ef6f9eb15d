/**
 * Shows whether the domain is delegated to the service. Checks again while the page is open, with
 * increasing intervals.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ListedDomain } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** Seconds between checks. */
const DELAYS = [5, 10, 15, 30, 60, 120, 300];
/** Seconds between checks of a live domain, which rarely changes. */
const LIVE_DELAY = 300;

interface Delegation {
  readonly state: DelegationState;
  readonly seen: readonly string[];
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  readonly parent: string | null;
  readonly checked_at: string | null;
  readonly error: string | null;
}

/** Only reads the latest background check for viewers, who may not start a check. */
function readDelegation(domainId: number): Promise<Result<Delegation>> {
  const params = { path: { domain_id: domainId } };
  return isReader.peek()
    ? settle(api.GET('/api/v1/domains/{domain_id}/delegation', { params }))
    : settle(api.POST('/api/v1/domains/{domain_id}/delegation/check', { params }));
}

export function DelegationCheck({ domainId }: { readonly domainId: number }) {
  const texts = TEXTS.delegation;
  const delegation = useSignal<Delegation | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isChecking = useSignal(false);
  /** Seconds until the next check. */
  const left = useSignal(0);
  const looks = useRef(0);

  const check = async (): Promise<void> => {
    if (isChecking.peek()) return;
    isChecking.value = true;
    const result = await readDelegation(domainId);
    isChecking.value = false;
    failure.value = result.ok ? null : result.failure;
    if (result.ok) delegation.value = result.data;
    const delay = DELAYS[Math.min(looks.current, DELAYS.length - 1)];
    looks.current++;
    left.value = result.ok && result.data.state === 'live' ? LIVE_DELAY : delay;
  };
  useEffect(() => {
    looks.current = 0;
    void check();
    const timer = setInterval(() => {
      if (document.hidden || isChecking.peek()) return;
      left.value = Math.max(0, left.peek() - 1);
      if (left.peek() === 0) void check();
    }, 1000);
    return () => clearInterval(timer);
  }, [domainId]);

  const shown = delegation.value;
  return (
    <section class="card narrow" aria-labelledby="delegation">
      <div class="head-row">
        <h2 id="delegation">{texts.title}</h2>
        {shown !== null && <DelegationBadge state={shown.state} />}
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {shown === null && failure.value === null && <Skeleton />}
      {shown !== null && <Found delegation={shown} />}
      <div class="actions">
        <button type="button" class="button" aria-disabled={isChecking.value} onClick={check}>
          {isChecking.value ? texts.checking : texts.check}
        </button>
        {!isChecking.value && <span class="hint">{texts.next(left.value)}</span>}
      </div>
    </section>
  );
}

function Found({ delegation }: { readonly delegation: Delegation }) {
  const texts = TEXTS.delegation;
  const { state, seen, missing, extra, parent, checked_at: checkedAt, error } = delegation;
  return (
    <>
      <p role="status" class={state === 'live' ? 'note note-good' : undefined}>
        {texts.states[state].long}
      </p>
      {state === 'partial' && missing.length > 0 && <p>{texts.missing(missing.join(', '))}</p>}
      {(state === 'partial' || state === 'elsewhere') && extra.length > 0 && <p>{texts.extra(extra.join(', '))}</p>}
      {state === 'live' && <p class="hint">{seen.join(', ')}</p>}
      {error !== null && <p class="note note-warning">{texts.error(error)}</p>}
      {checkedAt !== null && (
        <p class="hint">
          {parent === null || parent === '' ? texts.checkedAt : texts.checkedAtParent(parent)}{' '}
          <Time value={checkedAt} format="relative" />
        </p>
      )}
    </>
  );
}

type DelegationState = ListedDomain['delegation'];

const CLASSES: Readonly<Record<DelegationState, string>> = {
  live: 'badge badge-good',
  partial: 'badge badge-bad',
  elsewhere: 'badge',
  none: 'badge',
  unknown: 'badge badge-quiet',
};

/** A badge with the state of a delegation. */
export function DelegationBadge({ state }: { readonly state: DelegationState }) {
  const { short, long } = TEXTS.delegation.states[state];
  return (
    <span class={CLASSES[state]} title={long}>
      {short}
    </span>
  );
}
