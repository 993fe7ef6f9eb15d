/** The conditions of a rule, one in each row. */
import type { Signal } from '@preact/signals';
import { IconButton } from '../../ui/parts/icon-button.tsx';
import { TEXTS } from '../texts.ts';
import {
  type Condition,
  KINDS,
  type Kind,
  NAMED_KINDS,
  NEW_CONDITION,
  type Operator,
  operatorsOf,
} from './conditions.ts';

interface ConditionRowsProps {
  readonly legend: string;
  /** Shown without conditions. */
  readonly empty: string;
  readonly rows: Signal<readonly Condition[]>;
}

export function ConditionRows({ legend, empty, rows }: ConditionRowsProps) {
  const texts = TEXTS.rules.form;
  const set = (index: number, changed: Partial<Condition>): void => {
    rows.value = rows.value.map((row, i) => (i === index ? { ...row, ...changed } : row));
  };
  return (
    <fieldset class="conditions">
      <legend>{legend}</legend>
      {rows.value.length === 0 && <p class="hint">{empty}</p>}
      {rows.value.map((row, i) => (
        <ConditionRow
          key={i}
          row={row}
          number={i + 1}
          onChange={(changed) => set(i, changed)}
          onRemove={() => {
            rows.value = rows.value.filter((_, other) => other !== i);
          }}
        />
      ))}
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            rows.value = [...rows.value, NEW_CONDITION];
          }}
        >
          {texts.addCondition}
        </button>
      </div>
    </fieldset>
  );
}

interface ConditionRowProps {
  readonly row: Condition;
  readonly number: number;
  readonly onChange: (changed: Partial<Condition>) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ row, number, onChange, onRemove }: ConditionRowProps) {
  const texts = TEXTS.rules.form;
  const { kind, operator, name, values, ignoresCase } = row;
  const operators = operatorsOf(kind);
  const isNamed = (NAMED_KINDS as readonly string[]).includes(kind);
  const hasValues = operator !== 'present' && operator !== 'absent';
  const isText = operators.length > 1 && hasValues;
  const label = (text: string): string => texts.labelOf(text, number);
  return (
    <div class="condition">
      <select
        aria-label={label(texts.kind)}
        value={kind}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as Kind;
          const kept = operatorsOf(next).includes(operator) ? operator : operatorsOf(next)[0];
          onChange({ kind: next, operator: kept });
        }}
      >
        {KINDS.map((choice) => (
          <option key={choice} value={choice}>
            {texts.kinds[choice]}
          </option>
        ))}
      </select>
      {isNamed && (
        <input
          aria-label={label(texts.kindName)}
          placeholder={texts.kindName}
          value={name}
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      )}
      {operators.length > 1 && (
        <select
          aria-label={label(texts.operator)}
          value={operator}
          onChange={({ currentTarget }) => onChange({ operator: currentTarget.value as Operator })}
        >
          {operators.map((choice) => (
            <option key={choice} value={choice}>
              {texts.operators[choice]}
            </option>
          ))}
        </select>
      )}
      {hasValues && (
        <textarea
          aria-label={label(texts.values)}
          rows={Math.min(6, Math.max(1, values.split('\n').length))}
          placeholder={texts.examples[kind]}
          value={values}
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ values: currentTarget.value })}
        />
      )}
      {isText && (
        <label class="check">
          <input
            type="checkbox"
            checked={ignoresCase}
            onChange={({ currentTarget }) => onChange({ ignoresCase: currentTarget.checked })}
          />
          {texts.ignoresCase}
        </label>
      )}
      <IconButton icon="remove" label={label(texts.removeCondition)} onClick={onRemove} />
    </div>
  );
}
