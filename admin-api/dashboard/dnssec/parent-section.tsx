/** The DS records of the parent zone, with a button to check them. */

import { announce } from '../../ui/parts/announce.tsx';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import { DNSSEC, type DnssecPage } from './dnssec-page.ts';

export function ParentSection({ page }: { readonly page: DnssecPage }) {
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
