/** The choice of a TTL: a common value or any number of seconds. */
import { useSignal } from '@preact/signals';
import { TEXTS } from '../texts.ts';
import { TTL_PRESETS } from './types.ts';

const OTHER = 'other';

export const ttlText = (ttl: number): string =>
  ttl === 1 ? TEXTS.records.ttlAutomatic : TEXTS.records.ttlSeconds(ttl);

interface TtlChoiceProps {
  readonly value: number;
  readonly isInvalid: boolean;
  readonly onChange: (ttl: number) => void;
}

export function TtlChoice({ value, isInvalid, onChange }: TtlChoiceProps) {
  const texts = TEXTS.records;
  const isFree = useSignal(false);
  const choices = [...new Set([...TTL_PRESETS, value])].sort((a, b) => a - b);
  return (
    <>
      <select
        aria-label={texts.ttl}
        aria-invalid={isInvalid}
        value={isFree.value ? OTHER : String(value)}
        onChange={({ currentTarget }) => {
          isFree.value = currentTarget.value === OTHER;
          if (!isFree.value) onChange(Number(currentTarget.value));
        }}
      >
        {choices.map((ttl) => (
          <option key={ttl} value={String(ttl)}>
            {ttlText(ttl)}
          </option>
        ))}
        <option value={OTHER}>{texts.ttlOther}</option>
      </select>
      {isFree.value && (
        <input
          aria-label={texts.ttlFree}
          aria-invalid={isInvalid}
          inputMode="numeric"
          placeholder={texts.ttlFreeHint}
          onInput={({ currentTarget }) => {
            const ttl = Number(currentTarget.value);
            if (/^\d{1,10}$/.test(currentTarget.value)) onChange(ttl);
          }}
        />
      )}
    </>
  );
}
