/** The switch that proxies a name: orange when on, grey when off. */
import { TEXTS } from '../texts.ts';
import type { Fields } from './edits.ts';

interface ProxySwitchProps {
  readonly fields: Fields;
  /** Whether the service proxies the name if its records do not set it. */
  readonly byDefault: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (proxied: boolean) => void;
}

export function ProxySwitch({ fields: { name, proxied = null }, byDefault, isDisabled, onChange }: ProxySwitchProps) {
  const texts = TEXTS.records.proxy;
  const isOn = proxied ?? byDefault;
  return (
    <button
      type="button"
      role="switch"
      class={`switch ${isOn ? 'switch-on' : ''}`}
      aria-checked={isOn}
      aria-disabled={isDisabled}
      aria-label={texts.of(name === '' ? '@' : name)}
      title={proxied === null ? texts.automaticHint : undefined}
      onClick={() => {
        if (!isDisabled) onChange(!isOn);
      }}
    >
      <span class="switch-dot" />
      {isOn ? texts.on : texts.off}
    </button>
  );
}

interface ProxyChoiceProps {
  readonly value: boolean | null;
  readonly onChange: (proxied: boolean | null) => void;
}

const VALUES: Readonly<Record<string, boolean | null>> = { automatic: null, on: true, off: false };

export function ProxyChoice({ value, onChange }: ProxyChoiceProps) {
  const texts = TEXTS.records.proxy;
  return (
    <select
      aria-label={texts.label}
      value={Object.keys(VALUES).find((key) => VALUES[key] === value)}
      onChange={({ currentTarget }) => onChange(VALUES[currentTarget.value])}
    >
      <option value="automatic">{texts.automatic}</option>
      <option value="on">{texts.on}</option>
      <option value="off">{texts.off}</option>
    </select>
  );
}
