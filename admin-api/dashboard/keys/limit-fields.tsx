/** The limits of a new key: the host of a preset, networks, and the time of expiry. */
import { type Signal, useSignal } from '@preact/signals';
import { domainCandidates, KEY_USES, policyFor } from '../../routes/key-presets.ts';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { api, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import type { FaultOf } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { EXPIRIES, expiryTime } from './new-key.ts';

export const LIMIT_POINTERS = ['/policies/0/names/0', '/networks', '/expires_at'] as const;

interface KeyLimits {
  /** The host of a preset. */
  readonly host: Signal<string>;
  readonly hostFault: Signal<string | undefined>;
  readonly networks: Signal<string>;
  /** See EXPIRIES. */
  readonly expiry: Signal<string>;
  readonly date: Signal<string>;
}

export const useKeyLimits = (): KeyLimits => ({
  host: useSignal(''),
  hostFault: useSignal<string | undefined>(undefined),
  networks: useSignal(''),
  expiry: useSignal('never'),
  date: useSignal(''),
});

/** The limits as the API has them. */
export function readLimits({ networks, expiry, date }: KeyLimits) {
  const prefixes = networks.value.split(/[\s,]+/).filter((prefix) => prefix !== '');
  return {
    networks: prefixes.length === 0 ? null : prefixes,
    expires_at: expiryTime(expiry.value, date.value, Date.now()),
  };
}

/**
 * The domain and the policy of a preset for the host. Null: `use` is not a preset. Undefined: no
 * domain of the account has the host, which its field says.
 */
export async function readPreset({ host, hostFault }: KeyLimits, use: string) {
  hostFault.value = undefined;
  const preset = KEY_USES.find((each) => each === use);
  if (preset === undefined) return null;
  const domain = await findDomainOf(host.value);
  if (domain !== undefined) return { domain, policies: [policyFor(preset, host.value)] };
  hostFault.value = TEXTS.addKey.noDomainOf;
  return undefined;
}

/** The domain that a host belongs to; undefined: the account has none. */
async function findDomainOf(host: string): Promise<{ readonly id: number; readonly domain: string } | undefined> {
  for (const q of domainCandidates(host.toLowerCase())) {
    const result = await settle(api.GET('/api/v1/domains', { params: { query: { q } } }));
    const found = result.ok
      ? result.data.domains.find(({ domain }) => domain === q || toUnicode(domain) === q)
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

interface FieldsProps {
  readonly limits: KeyLimits;
  readonly faultOf: FaultOf<(typeof LIMIT_POINTERS)[number]>;
}

export function HostField({ limits: { host, hostFault }, faultOf }: FieldsProps) {
  const texts = TEXTS.addKey;
  return (
    <Field
      label={texts.host}
      hint={texts.hostHint}
      fault={hostFault.value ?? faultOf('/policies/0/names/0')}
      value={host}
      name="host"
      autocomplete="off"
      required
    />
  );
}

export function LimitFields({ limits: { networks, expiry, date }, faultOf }: FieldsProps) {
  const texts = TEXTS.addKey;
  const isDate = expiry.value === 'date';
  const expiryFault = faultOf('/expires_at');
  return (
    <>
      <Field
        label={texts.networks}
        hint={texts.networksHint}
        fault={faultOf('/networks')}
        value={networks}
        name="networks"
        autocomplete="off"
      />
      <SelectField
        label={texts.expires}
        fault={isDate ? undefined : expiryFault}
        value={expiry}
        name="expiry"
        choices={EXPIRIES}
      />
      {isDate && <Field label={texts.date} fault={expiryFault} value={date} name="date" type="date" required />}
    </>
  );
}
