/** A pool of a steering document: its answers as a table, and how they are checked. */
import { IconButton } from '../../ui/parts/icon-button.tsx';
import type { SteeringBody } from '../api/views.ts';
import { TEXTS } from '../texts.ts';
import {
  answersOf,
  type DraftAnswer,
  type DraftHealth,
  type DraftPool,
  without,
  withoutPool,
  withPool,
  withPoolName,
} from './draft.ts';
import { NumberInput, SelectInput, TextInput } from './inputs.tsx';

export interface PartProps {
  readonly draft: SteeringBody;
  readonly edit: (changed: SteeringBody) => void;
  /** The message about the field at a JSON pointer, or about a part of it. */
  readonly faultAt: (pointer: string) => string | undefined;
}

interface PoolFieldsProps extends PartProps {
  readonly pool: DraftPool;
  readonly index: number;
  /** An answer, as an example. */
  readonly example: string;
}

export function PoolFields({ draft, edit, faultAt, pool, index, example }: PoolFieldsProps) {
  const texts = TEXTS.steering.pools;
  const at = `/pools/${index}`;
  const answers = answersOf(pool);
  const isOwnFault = answers.every((_, i) => faultAt(`${at}/answers/${i}`) === undefined);
  const setAnswers = (changed: readonly DraftAnswer[]): void => edit(withPool(draft, index, { answers: [...changed] }));
  return (
    <fieldset class="areas">
      <legend>{texts.legend(pool.name)}</legend>
      <TextInput
        label={texts.name}
        fault={faultAt(`${at}/name`)}
        value={pool.name}
        name="pool"
        onChange={(name) => edit(withPoolName(draft, index, name))}
      />
      <table class="table nodes">
        <thead>
          <tr>
            <th scope="col">{texts.content}</th>
            <th scope="col">{texts.weight}</th>
            <th scope="col">
              <span class="hidden">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {answers.map((answer, i) => {
            const set = (changed: Partial<DraftAnswer>): void =>
              setAnswers(answers.map((other, k) => (k === i ? { ...other, ...changed } : other)));
            return (
              <tr key={String(i)}>
                <td data-label={texts.content}>
                  <TextInput
                    label={texts.contentOf(i + 1, pool.name)}
                    isLabelHidden
                    fault={faultAt(`${at}/answers/${i}/content`)}
                    value={answer.content ?? ''}
                    name="content"
                    placeholder={example}
                    onChange={(content) => set({ content })}
                  />
                </td>
                <td data-label={texts.weight}>
                  <NumberInput
                    label={texts.weightOf(i + 1, pool.name)}
                    isLabelHidden
                    fault={faultAt(`${at}/answers/${i}/weight`)}
                    value={answer.weight}
                    empty={undefined}
                    name="weight"
                    placeholder="1"
                    onChange={(weight) => set({ weight })}
                  />
                </td>
                <td>
                  <IconButton
                    icon="remove"
                    label={texts.removeAnswer(answer.content ?? '', pool.name)}
                    onClick={() => setAnswers(without(answers, i))}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {isOwnFault && faultAt(`${at}/answers`) !== undefined && (
        <p class="fault" role="alert">
          {faultAt(`${at}/answers`)}
        </p>
      )}
      <HealthFields
        health={pool.health ?? null}
        fault={(field) => faultAt(`${at}/health${field}`)}
        onChange={(health) => edit(withPool(draft, index, { health }))}
      />
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-label={texts.addAnswerTo(pool.name)}
          onClick={() => setAnswers([...answers, { content: '', weight: 1 }])}
        >
          {texts.addAnswer}
        </button>
        <button
          type="button"
          class="button button-quiet"
          aria-label={texts.removeOf(pool.name)}
          onClick={() => edit(withoutPool(draft, index))}
        >
          {texts.remove}
        </button>
      </div>
    </fieldset>
  );
}

interface HealthFieldsProps {
  readonly health: DraftHealth | null;
  /** Of a field of the check, as `/port`; empty: of the check. */
  readonly fault: (field: string) => string | undefined;
  readonly onChange: (health: DraftHealth | null) => void;
}

const UNCHECKED = 'none';
const KINDS = [UNCHECKED, 'https', 'http', 'tcp'] as const;
/** Numbers that a check may leave to their defaults, which are shown. */
const NUMBERS = { interval: '30', timeout: '5', rise: '2', fall: '3' } as const;
type NumberName = keyof typeof NUMBERS;

function HealthFields({ health, fault, onChange }: HealthFieldsProps) {
  const texts = TEXTS.steering.checks;
  const kind = health === null ? UNCHECKED : (health.type ?? 'https');
  const setKind = (value: string): void => {
    // The port goes with the kind.
    if (value === UNCHECKED) onChange(null);
    else onChange({ ...health, type: value as DraftHealth['type'], port: undefined });
  };
  return (
    <>
      <SelectInput
        label={texts.label}
        hint={texts.hint}
        value={kind}
        name="check"
        choices={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        onChange={setKind}
      />
      {health !== null && (
        <div class="form-pairs">
          <NumberInput
            label={texts.port}
            fault={fault('/port')}
            value={health.port}
            empty={undefined}
            name="port"
            placeholder={kind === 'http' ? '80' : '443'}
            onChange={(port) => onChange({ ...health, port })}
          />
          {kind !== 'tcp' && (
            <>
              <TextInput
                label={texts.host}
                fault={fault('/host')}
                value={health.host ?? ''}
                name="host"
                placeholder={texts.ownName}
                onChange={(host) => onChange({ ...health, host: host === '' ? null : host })}
              />
              <TextInput
                label={texts.path}
                fault={fault('/path')}
                value={health.path ?? ''}
                name="path"
                placeholder="/"
                onChange={(path) => onChange({ ...health, path: path === '' ? undefined : path })}
              />
              <NumberInput
                label={texts.status}
                fault={fault('/status')}
                value={health.status ?? null}
                empty={null}
                name="status"
                placeholder={texts.anyStatus}
                onChange={(status) => onChange({ ...health, status })}
              />
            </>
          )}
          {(Object.keys(NUMBERS) as NumberName[]).map((field) => (
            <NumberInput
              key={field}
              label={texts[field]}
              fault={fault(`/${field}`)}
              value={health[field]}
              empty={undefined}
              name={field}
              placeholder={NUMBERS[field]}
              onChange={(value) => onChange({ ...health, [field]: value })}
            />
          ))}
        </div>
      )}
    </>
  );
}
