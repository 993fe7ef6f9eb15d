/** The state of a secondary zone: its primaries, and whether they have confirmed it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Domain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { readTsigKeys } from '../domains/primaries-fields.tsx';
import { canShow, PrimariesForm } from '../domains/primaries-form.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface TransferStateProps {
  readonly domain: Domain;
  /** Reloads the domain and its records. */
  readonly reload: () => void;
}

export function TransferState({ domain, reload }: TransferStateProps) {
  const texts = TEXTS.secondary;
  const { isRunning, failure, run } = useAction();
  const { secondary, primaries } = domain;
  const names = useSignal('');
  const keyIds = [...new Set((primaries ?? []).flatMap(({ tsig_key_id: id }) => id ?? []))];
  useEffect(() => {
    if (keyIds.length === 0) return;
    void readTsigKeys().then((keys) => {
      names.value = keys.flatMap(({ id, name }) => (keyIds.includes(id) ? name : [])).join(', ');
    });
  }, [keyIds.join()]);
  if (secondary === null || primaries === null) return null;
  const { signatures } = secondary;
  const transfer = () =>
    run(async () => {
      const params = { path: { domain_id: domain.id } };
      const result = await settle(api.POST('/api/v1/domains/{domain_id}/transfer', { params }));
      reload();
      return result.ok ? null : result.failure;
    });
  return (
    <section class="card" aria-labelledby="transfers">
      <div class="head-row">
        <h2 id="transfers">{texts.title}</h2>
        {!isReader.value && (
          <button type="button" class="button" aria-disabled={isRunning.value} onClick={transfer}>
            {isRunning.value ? texts.transferring : texts.transfer}
          </button>
        )}
      </div>
      <p class="hint">{texts.hint}</p>
      <dl class="facts-row">
        <Fact label={texts.state}>{texts.states[secondary.state]}</Fact>
        <Fact label={texts.primaries}>{primaries.map(({ address }) => address).join(', ')}</Fact>
        {keyIds.length > 0 && <Fact label={TEXTS.addDomain.tsigKey}>{names.value}</Fact>}
        <Fact label={texts.serial}>{secondary.serial ?? texts.none}</Fact>
        <Fact label={texts.refreshed}>
          {secondary.refreshed_at === null ? texts.none : <Time value={secondary.refreshed_at} />}
        </Fact>
        <Fact label={texts.expires}>
          {secondary.expires_at === null ? texts.none : <Time value={secondary.expires_at} />}
        </Fact>
        {secondary.serial !== null && (
          <Fact label={texts.signed}>{signatures === null ? texts.unsigned : texts.denials[signatures.denial]}</Fact>
        )}
        {signatures !== null && (
          <Fact label={texts.signedUntil}>
            <Time value={signatures.earliest_expiry} />
          </Fact>
        )}
      </dl>
      {signatures !== null && signatures.problem !== null && <p class="fault">{texts.problem(signatures.problem)}</p>}
      {secondary.warnings.length > 0 && (
        <details class="note note-warning">
          <summary>{texts.warnings(secondary.warnings.length + secondary.warnings_omitted)}</summary>
          <ul>
            {secondary.warnings.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </details>
      )}
      {secondary.error !== null && <p class="fault">{texts.error(secondary.error)}</p>}
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {!isReader.value && canShow(primaries) && (
        <PrimariesForm key={JSON.stringify(primaries)} domainId={domain.id} primaries={primaries} reload={reload} />
      )}
    </section>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
