/** A package of the account: state, report, publication. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visible } from '../../ui/excerpt.ts';
import { announce } from '../../ui/parts/announce.tsx';
import { markOwner } from '../acting.ts';
import { addressOf } from '../addresses.ts';
import type { Upload } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { Report } from '../apps/report.tsx';
import { UploadFacts, UploadSteps } from '../apps/upload-facts.tsx';
import { useUpload } from '../apps/use-upload.ts';
import type { Failure } from '../failure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import type { ScreenProps } from '../screen.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';

export function UploadPage({ params }: ScreenProps) {
  const texts = TEXTS.upload;
  const path = { upload_id: Number(params.upload_id) };
  const { upload, failure, load } = useUpload(path.upload_id, () =>
    settle(api.GET('/api/dev/uploads/{upload_id}', { params: { path } })),
  );
  const owner = upload.value?.account_id;
  useEffect(() => {
    if (owner !== undefined) markOwner(owner);
  }, [owner]);
  const shown = upload.value;
  usePageTitle(shown === null ? TEXTS.apps.title : texts.title(shown.app_id, visible(shown.version)));
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  if (shown === null) return <Skeleton />;
  return (
    <div class="stack">
      <p>
        <a href={addressOf('apps')}>{TEXTS.apps.title}</a>
      </p>
      <UploadFacts upload={shown} explanation={texts.explanations[shown.status]} />
      {session.value?.user.role !== 'viewer' && <Actions upload={shown} onChange={load} />}
      <Report upload={shown} />
      <UploadSteps history={shown.history} />
    </div>
  );
}

const WITHDRAWABLE: readonly Upload['status'][] = ['pending', 'scanning', 'in_review', 'approved', 'published'];

function Actions({ upload, onChange }: { readonly upload: Upload; readonly onChange: () => Promise<void> }) {
  const texts = TEXTS.upload;
  const { id, app_id, status } = upload;
  const params = { path: { upload_id: id } };
  const isAsking = useSignal(false);
  const { isRunning, failure, run } = useAction();

  const publish = async (): Promise<void> => {
    const isPublished = await run(async () => {
      const result = await settle(api.POST('/api/dev/uploads/{upload_id}/publish', { params }));
      return result.ok ? null : result.failure;
    });
    if (isPublished) announce(texts.isPublished);
    await onChange();
  };
  const withdraw = async (): Promise<Failure | null> => {
    const result = await settle(api.DELETE('/api/dev/uploads/{upload_id}', { params }));
    if (!result.ok) return result.failure;
    announce(texts.isWithdrawn);
    await onChange();
    return null;
  };

  return (
    <>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div class="actions">
        {status === 'approved' && (
          <button type="button" class="button button-main" aria-disabled={isRunning.value} onClick={publish}>
            {texts.publish}
          </button>
        )}
        {WITHDRAWABLE.includes(status) && (
          <button
            type="button"
            class="button button-bad"
            onClick={() => {
              isAsking.value = true;
            }}
          >
            {texts.withdraw}
          </button>
        )}
      </div>
      {isAsking.value && (
        <Confirm
          title={texts.withdrawTitle}
          explanation={texts.withdrawText}
          word={app_id}
          label={texts.withdrawSubmit}
          run={withdraw}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </>
  );
}
