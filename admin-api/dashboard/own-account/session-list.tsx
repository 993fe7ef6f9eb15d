/** The browsers in which the user is signed in. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import type { SessionView } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import type { Resource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';
import { describeBrowser } from '../user-agent.ts';

const texts = TEXTS.ownAccount.sessions;

/** Sorts the session of this browser first, then the most recently used. */
export async function readSessions(): Promise<Result<readonly SessionView[]>> {
  const result = await settle(api.GET('/api/v1/sessions', { params: { query: { limit: 100 } } }));
  if (!result.ok) return result;
  const byUse = (a: SessionView, b: SessionView): number => (a.last_used_at < b.last_used_at ? 1 : -1);
  const sessions = [...result.data.sessions].sort((a, b) => Number(b.current) - Number(a.current) || byUse(a, b));
  return { ...result, data: sessions };
}

export function SessionList({ sessions }: { readonly sessions: Resource<readonly SessionView[]> }) {
  const { value, failure, load } = sessions;
  const endFailure = useSignal<Failure | null>(null);

  const end = async (id: number): Promise<void> => {
    const params = { path: { session_id: id } };
    const result = await settle(api.DELETE('/api/v1/sessions/{session_id}', { params }));
    endFailure.value = result.ok ? null : result.failure;
    if (result.ok) announce(texts.ended);
    await load();
  };
  const endOthers = async (): Promise<void> => {
    const result = await settle(api.DELETE('/api/v1/sessions'));
    endFailure.value = result.ok ? null : result.failure;
    if (result.ok) announce(texts.endedOthers(result.data.ended));
    await load();
  };

  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {endFailure.value !== null && <FailureNote failure={endFailure.value} />}
      {value.value === null && failure.value === null && <Skeleton />}
      {value.value !== null && (
        <ul class="items">
          {value.value.map((row) => (
            <SessionItem key={row.id} row={row} onEnd={() => end(row.id)} />
          ))}
        </ul>
      )}
      {value.value !== null && value.value.length > 1 && (
        <div class="actions">
          <button type="button" class="button" onClick={endOthers}>
            {texts.endOthers}
          </button>
        </div>
      )}
    </section>
  );
}

function SessionItem({ row, onEnd }: { readonly row: SessionView; readonly onEnd: () => void }) {
  const browser = describeBrowser(row.user_agent);
  return (
    <li>
      <div>
        <p class="long" title={row.user_agent ?? undefined}>
          <strong>{browser}</strong> {texts.from(row.remote_address)}{' '}
          {row.current && <span class="badge badge-good">{texts.current}</span>}
        </p>
        <p class="hint">
          {texts.created} <Time value={row.created_at} /> · {texts.used}{' '}
          <Time value={row.last_used_at} format="relative" />
        </p>
      </div>
      {!row.current && (
        <button
          type="button"
          class="button button-quiet"
          aria-label={texts.endOf(browser, row.remote_address)}
          onClick={onEnd}
        >
          {texts.end}
        </button>
      )}
    </li>
  );
}
