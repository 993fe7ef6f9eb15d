/** DNSSEC of a domain: switch, DS record, parent zone, keys and their replacement. */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { api, settle } from '../api.ts';
import { DNSSEC, DnssecPage } from '../dnssec/dnssec-page.ts';
import { DsSection } from '../dnssec/ds-section.tsx';
import { ForeignKeys } from '../dnssec/foreign-keys.tsx';
import { ALGORITHMS, KeysSection } from '../dnssec/keys-section.tsx';
import { StatusSection } from '../dnssec/status-section.tsx';
import { TakeOverForm } from '../dnssec/take-over-form.tsx';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { useForm } from '../parts/use-form.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

export function Dnssec({ domainId }: ScreenProps) {
  const page = useMemo(() => new DnssecPage(domainId), [domainId]);
  useEffect(() => void page.load(), [page]);
  const zone = page.zone.value;
  useChanges(isChangeOf(domainId, 'dnssec'), () => page.load());
  return (
    <div class="stack">
      {page.failure.value !== null && <FailureNote failure={page.failure.value} retry={() => page.load()} />}
      {zone === null && page.failure.value === null && <Skeleton />}
      {zone?.status === 'off' && (
        <ChangeArea hasNote>
          <SignForm page={page} />
          <TakeOverForm page={page} />
        </ChangeArea>
      )}
      {zone !== null && zone.status !== 'off' && (
        <>
          <ChangeArea hasNote>
            <StatusSection page={page} />
          </ChangeArea>
          <DsSection zone={zone} />
          <ChangeArea>
            <ParentSection page={page} />
            <KeysSection page={page} />
            <ForeignKeys page={page} />
          </ChangeArea>
        </>
      )}
    </div>
  );
}

/** The DS records of the parent zone, with a button to check them. */
function ParentSection({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const { isRunning, failure, run } = useAction();
  const { parent } = page.zone.value!;
  const check = async (): Promise<void> => {
    const call = () => settle(api.POST(`${DNSSEC}/check`, { params: page.params }));
    if (await run(() => page.change(call()))) announce(texts.checkDone);
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>{texts.parent}</h2>
        <button type="button" class="button" aria-disabled={isRunning.value} onClick={check}>
          {texts.check}
        </button>
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {parent === null && <p>{texts.parentNone}</p>}
      {parent !== null && (
        <>
          <p>
            {parent.ds.length === 0
              ? texts.parentNoDs(texts.parentZone(parent.zone))
              : texts.parentDs(texts.parentZone(parent.zone))}
          </p>
          {parent.ds.length > 0 && (
            <ul class="copy-list">
              {parent.ds.map((ds) => (
                <li key={ds}>
                  <code>{ds}</code>
                </li>
              ))}
            </ul>
          )}
          <p class="hint">
            {texts.answered(parent.answered, parent.servers)}. {texts.checked} <Time value={parent.checked_at} />
          </p>
        </>
      )}
    </section>
  );
}

/** The form that starts signing a zone. */
function SignForm({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const algorithm = useSignal('13');
  const { isRunning, failure, submit } = useForm([], () => {
    const body = { enabled: true, algorithm: Number(algorithm.value) };
    return page.change(settle(api.PUT(DNSSEC, { params: page.params, body })));
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.off}</h2>
      <p>{texts.offText}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <SelectField label={texts.algorithm} value={algorithm} name="algorithm" choices={ALGORITHMS} />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.enable}
        </button>
      </div>
    </form>
  );
}
