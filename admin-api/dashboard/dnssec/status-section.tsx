/** The DNSSEC progress of the zone, its problems, and the button to turn DNSSEC off. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Time } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import { DNSSEC, type DnssecPage } from './dnssec-page.ts';
import { dnssecSteps } from './dnssec-steps.ts';

export function StatusSection({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const isDisabling = useSignal(false);
  const { isRunning, failure, run } = useAction();
  const zone = page.zone.value!;
  const steps = dnssecSteps(zone);
  const disable = async (force: boolean): Promise<Failure | null> => {
    const body = force ? { enabled: false, force } : { enabled: false };
    const refused = await page.change(settle(api.PUT(DNSSEC, { params: page.params, body })));
    if (refused === null) announce(texts.disableDone);
    return refused;
  };
  // The page shows this failure itself, with its remedy.
  const disableConfirmed = async (): Promise<null> => {
    await run(() => disable(false));
    return null;
  };
  const isRefused = failure.value?.code === 'dnssec_ds_present';
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          {texts.statuses[zone.status]}{' '}
          <span class={zone.status === 'secure' && zone.error === null ? 'dot dot-good' : 'dot'} aria-hidden="true" />
        </h2>
        {zone.status !== 'removing_ds' && (
          <button
            type="button"
            class="button"
            onClick={() => {
              isDisabling.value = true;
            }}
          >
            {texts.disable}
          </button>
        )}
      </div>
      {zone.error !== null && (
        <div class="note note-bad" role="alert">
          <p>{zone.error.message}</p>
        </div>
      )}
      {failure.value !== null && !isRefused && <FailureNote failure={failure.value} />}
      {isRefused && (
        <div class="note note-bad" role="alert">
          <p class="strong">{texts.dsPresent}</p>
          <p>{failure.value?.message}</p>
          <p>{texts.dsPresentNext}</p>
          <button type="button" class="button" aria-disabled={isRunning.value} onClick={() => run(() => disable(true))}>
            {texts.force}
          </button>
        </div>
      )}
      {steps.length === 0 ? <p>{zone.next_step}</p> : <Timeline steps={steps} />}
      {zone.signatures.earliest_expiry !== null && (
        <p class="hint">
          {texts.expiry} <Time value={zone.signatures.earliest_expiry} />
        </p>
      )}
      {isDisabling.value && (
        <Confirm
          title={texts.disable}
          explanation={texts.disableExplanation}
          word={zone.domain.domain}
          label={texts.disable}
          run={disableConfirmed}
          onClose={() => {
            isDisabling.value = false;
          }}
        />
      )}
    </section>
  );
}
