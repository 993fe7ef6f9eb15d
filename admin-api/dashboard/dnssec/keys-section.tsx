/** The keys of the zone, and their replacement. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import { DNSSEC, type DnssecPage } from './dnssec-page.ts';
import { mayCancel, mayRoll } from './dnssec-steps.ts';

/** The algorithms of new keys. */
export const ALGORITHMS = (['13', '15'] as const).map((value) => ({ value, label: TEXTS.dnssec.algorithms[value] }));

type Dialog = 'rollover' | 'emergency' | 'cancel';

export function KeysSection({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const dialog = useSignal<Dialog | null>(null);
  const zone = page.zone.value!;
  // Keys of other algorithms are only imported.
  const defaultAlgorithm = ALGORITHMS.find(({ value }) => value === String(zone.algorithm)) ?? ALGORITHMS[0];
  const algorithm = useSignal<string>(defaultAlgorithm.value);
  const close = (): void => {
    dialog.value = null;
  };
  const roll = async (body: { emergency?: boolean; algorithm?: number }): Promise<Failure | null> => {
    const call = api.POST(`${DNSSEC}/rollover`, { params: page.params, body });
    const failure = await page.change(settle(call));
    if (failure === null) announce(texts.rolloverStarted);
    return failure;
  };
  const cancel = async (): Promise<Failure | null> => {
    const failure = await page.change(settle(api.POST(`${DNSSEC}/rollover/cancel`, { params: page.params })));
    if (failure === null) announce(texts.cancelled);
    return failure;
  };
  const button = (name: Dialog, label: string) => (
    <button
      type="button"
      class="button"
      onClick={() => {
        algorithm.value = defaultAlgorithm.value;
        dialog.value = name;
      }}
    >
      {label}
    </button>
  );
  return (
    <section class="card">
      <h2>{texts.keys}</h2>
      <table class="table dnssec-keys">
        <thead>
          <tr>
            <th scope="col">{texts.keyTag}</th>
            <th scope="col">{texts.keyAlgorithm}</th>
            <th scope="col">{texts.keyState}</th>
            <th scope="col">{texts.keyCreated}</th>
          </tr>
        </thead>
        <tbody>
          {zone.keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.key_tag}</th>
              <td>{key.algorithm}</td>
              <td>{texts.keyStates[key.state]}</td>
              <td>
                <Time value={key.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        {mayRoll(zone) && button('rollover', texts.rollover)}
        {mayRoll(zone) && button('emergency', texts.emergency)}
        {mayCancel(zone) && button('cancel', texts.cancelRollover)}
      </div>
      {dialog.value === 'rollover' && (
        <Question
          title={texts.rolloverTitle}
          explanation={texts.rolloverExplanation}
          label={texts.rollover}
          run={() => roll({ algorithm: Number(algorithm.value) })}
          onClose={close}
        >
          <SelectField
            label={texts.rolloverAlgorithm}
            hint={texts.rolloverHint}
            value={algorithm}
            name="algorithm"
            choices={ALGORITHMS}
          />
        </Question>
      )}
      {dialog.value === 'cancel' && (
        <Question
          title={texts.cancelRollover}
          explanation={texts.cancelExplanation}
          label={texts.cancelRollover}
          run={cancel}
          onClose={close}
        />
      )}
      {dialog.value === 'emergency' && (
        <Confirm
          title={texts.emergency}
          explanation={texts.emergencyExplanation}
          word={zone.domain.domain}
          label={texts.rollover}
          run={() => roll({ emergency: true })}
          onClose={close}
        />
      )}
    </section>
  );
}

interface QuestionProps {
  readonly title: string;
  readonly explanation: string;
  readonly label: string;
  /** Null on success. */
  readonly run: () => Promise<Failure | null>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Confirms an action that deletes nothing, with an explanation. */
function Question({ title, explanation, label, run, onClose, children }: QuestionProps) {
  const action = useAction();
  return (
    <Modal title={title} onClose={onClose}>
      <p>{explanation}</p>
      {children}
      {action.failure.value !== null && <FailureNote failure={action.failure.value} />}
      <div class="actions">
        <button
          type="button"
          class="button button-main"
          aria-disabled={action.isRunning.value}
          onClick={async () => {
            if (await action.run(run)) onClose();
          }}
        >
          {label}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.close}
        </button>
      </div>
    </Modal>
  );
}
