/** The review of a package: its report and the decision. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visible } from '../../ui/excerpt.ts';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { addressOf } from '../addresses.ts';
import type { Upload } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { Report } from '../apps/report.tsx';
import { Fact, UploadFacts, UploadSteps } from '../apps/upload-facts.tsx';
import { useUpload } from '../apps/use-upload.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { openPage } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.review;

export function ReviewPage({ params }: ScreenProps) {
  const path = { upload_id: Number(params.upload_id) };
  const { upload, failure, load } = useUpload(path.upload_id, () =>
    settle(api.GET('/api/dev/admin/uploads/{upload_id}', { params: { path } })),
  );
  const shown = upload.value;
  usePageTitle(shown === null ? TEXTS.reviews.title : TEXTS.upload.title(shown.app_id, visible(shown.version)));
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  if (shown === null) return <Skeleton />;
  return (
    <div class="stack">
      <p>
        <a href={addressOf('reviews')}>{TEXTS.reviews.title}</a>
      </p>
      <UploadFacts upload={shown}>
        <Fact name={texts.account}>
          <a href={addressOf('account', { account_id: shown.account_id })}>
            <AccountName id={shown.account_id} />
          </a>
        </Fact>
      </UploadFacts>
      <Decision upload={shown} onChange={load} />
      <Report upload={shown} />
      <UploadSteps history={shown.history} />
    </div>
  );
}

function AccountName({ id }: { readonly id: number }) {
  const username = useSignal<string | null>(null);
  useEffect(() => {
    const params = { path: { account_id: id } };
    void settle(api.GET('/api/v1/accounts/{account_id}', { params })).then((result) => {
      if (result.ok) username.value = result.data.account.username;
    });
  }, [id]);
  return <>{username.value ?? TEXTS.reviews.deletedAccount(id)}</>;
}

type Verb = 'approve' | 'reject' | 'suspend';

/** The decisions that the API accepts, by state. */
const DECISIONS: Partial<Record<Upload['status'], readonly Verb[]>> = {
  in_review: ['approve', 'reject'],
  approved: ['reject', 'suspend'],
  published: ['suspend'],
  suspended: ['approve'],
};

/** States in which the files of a package are deleted. */
const WITHOUT_FILE: readonly Upload['status'][] = ['rejected', 'superseded', 'withdrawn'];

function Decision({ upload, onChange }: { readonly upload: Upload; readonly onChange: () => Promise<void> }) {
  const { id, status, audit } = upload;
  const verbs = DECISIONS[status] ?? [];
  const reason = useSignal('');
  const codes = useSignal<ReadonlySet<string>>(new Set());
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const found = [...new Set(audit.findings.map(({ code }) => code))];

  const decide = async (verb: Verb): Promise<void> => {
    if (isSending.value) return;
    isSending.value = true;
    const result = await send(id, verb, reason.value.trim(), [...codes.value]);
    isSending.value = false;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return onChange();
    announce(texts.done[verb]);
    reason.value = '';
    if (status === 'in_review') openPage('reviews');
    else await onChange();
  };

  const isReason = failure.value?.pointer === '/reason';
  return (
    <section class="card">
      <h2>{texts.decision}</h2>
      {!WITHOUT_FILE.includes(status) && (
        <p>
          <a href={`/api/dev/admin/uploads/${id}/package`} download>
            {texts.download}
          </a>
        </p>
      )}
      {verbs.length === 0 && <p>{texts.none}</p>}
      {failure.value !== null && !isReason && <FailureNote failure={failure.value} />}
      {verbs.length > 0 && (
        <>
          <Field
            label={texts.note}
            hint={verbs.includes('approve') ? texts.noteHint : texts.reasonHint}
            fault={isReason ? failure.value?.message : undefined}
            value={reason}
            name="note"
            autocomplete="off"
          />
          {verbs.includes('reject') && found.length > 0 && <Codes found={found} chosen={codes} />}
          <div class="actions">
            {verbs.map((verb) => (
              <button
                key={verb}
                type="button"
                class={verb === 'approve' ? 'button button-main' : 'button button-bad'}
                aria-disabled={isSending.value}
                onClick={() => decide(verb)}
              >
                {texts.verbs[verb]}
              </button>
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function send(id: number, verb: Verb, reason: string, codes: readonly string[]) {
  const params = { path: { upload_id: id } };
  if (verb === 'approve')
    return settle(
      api.POST('/api/dev/admin/uploads/{upload_id}/approve', { params, body: reason === '' ? {} : { reason } }),
    );
  if (verb === 'suspend')
    return settle(api.POST('/api/dev/admin/uploads/{upload_id}/suspend', { params, body: { reason } }));
  const body = codes.length === 0 ? { reason } : { reason, codes: [...codes] };
  return settle(api.POST('/api/dev/admin/uploads/{upload_id}/reject', { params, body }));
}

interface CodesProps {
  readonly found: readonly string[];
  readonly chosen: Signal<ReadonlySet<string>>;
}

function Codes({ found, chosen }: CodesProps) {
  const toggle = (code: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(code)) next.add(code);
    chosen.value = next;
  };
  return (
    <fieldset class="choices">
      <legend>{texts.codes}</legend>
      {found.map((code) => (
        <label key={code}>
          <input type="checkbox" name={code} checked={chosen.value.has(code)} onChange={() => toggle(code)} />
          <code>{code}</code>
        </label>
      ))}
    </fieldset>
  );
}
