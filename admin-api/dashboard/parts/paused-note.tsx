/** Says that deliveries are paused after a restore. Administrators resume them here. */
import { announce } from '../../ui/parts/announce.tsx';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { FailureNote } from './notes.tsx';
import { useAction } from './use-action.ts';
import { useResource } from './use-resource.ts';

export function PausedNote() {
  const texts = TEXTS.deliveries;
  const { value, load } = useResource(() => settle(api.GET('/api/v1/deliveries', {})));
  const { isRunning, failure, run } = useAction();
  const resume = async (): Promise<Failure | null> => {
    const result = await settle(api.POST('/api/v1/deliveries/resume', {}));
    await load();
    if (!result.ok) return result.failure;
    announce(texts.resumed);
    return null;
  };
  if (value.value?.paused !== true) return null;
  const isAdmin = session.value?.user.role === 'admin';
  return (
    <div class="note note-warning" role="status">
      <p>
        {texts.paused(value.value.restored?.at ?? null)} {isAdmin ? texts.forAdmin : texts.forUser}
      </p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {isAdmin && (
        <div class="actions">
          <button type="button" class="button" aria-disabled={isRunning.value} onClick={() => run(resume)}>
            {texts.resume}
          </button>
        </div>
      )}
    </div>
  );
}
