/** The primaries of a secondary zone, and the TSIG key that they and this service share. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiBody } from '../../routes/routes.ts';
import { Field } from '../../ui/parts/field.tsx';
import { type Choice, SelectField } from '../../ui/parts/select-field.tsx';
import type { Pointer, TsigKey } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { ALGORITHMS } from '../keys/algorithms.ts';
import type { FaultOf } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';

type Primaries = ApiBody<'replacePrimaries'>['primaries'];
export type PrimariesPointer = Pointer<'replacePrimaries'> | '/name' | '/secret' | '/algorithm';

/** The fields that show their faults. */
export const PRIMARIES_POINTERS = [
  '/primaries',
  '/primaries/0/address',
  '/primaries/0/tsig_key_id',
  '/name',
  '/secret',
  '/algorithm',
] as const;

/** The choice of a key that the account does not have yet. */
const NEW = 'new';

interface PrimariesDraft {
  readonly addresses: Signal<string>;
  /** Id of a key, `NEW`, or empty. */
  readonly key: Signal<string>;
  readonly name: Signal<string>;
  readonly algorithm: Signal<string>;
  readonly secret: Signal<string>;
}

export const usePrimaries = (addresses = '', key = ''): PrimariesDraft => ({
  addresses: useSignal(addresses),
  key: useSignal(key),
  name: useSignal(''),
  algorithm: useSignal('hmac-sha256'),
  secret: useSignal(''),
});

/** Stores a new key first. It stays chosen if the next request fails. */
export async function readPrimaries({ addresses, key, ...own }: PrimariesDraft): Promise<Result<Primaries>> {
  if (key.peek() === NEW) {
    const body = {
      name: own.name.peek().trim(),
      algorithm: own.algorithm.peek() as 'hmac-sha256',
      secret: own.secret.peek().trim(),
      outgoing: true,
      scopes: [],
    };
    const stored = await settle(api.POST('/api/v1/tsig-keys', { body }));
    if (!stored.ok) return stored;
    key.value = String(stored.data.id);
    own.secret.value = '';
  }
  const tsig_key_id = key.peek() === '' ? null : Number(key.peek());
  const named = addresses
    .peek()
    .split(',')
    .map((address) => address.trim());
  const data = named.filter((address) => address !== '').map((address) => ({ address, tsig_key_id }));
  return { ok: true, data, response: new Response() };
}

interface PrimariesFieldsProps {
  readonly draft: PrimariesDraft;
  readonly faultOf: FaultOf<PrimariesPointer>;
}

export function PrimariesFields({ draft, faultOf }: PrimariesFieldsProps) {
  const texts = TEXTS.addDomain;
  const keys = useSignal<readonly Choice[]>([]);
  useEffect(() => {
    void readTsigKeys().then((found) => {
      keys.value = found.map((key) => ({ value: String(key.id), label: labelOf(key, found) }));
    });
  }, [draft.key.value]);
  return (
    <>
      <Field
        label={texts.primaries}
        hint={texts.primariesHint}
        fault={faultOf('/primaries') ?? faultOf('/primaries/0/address')}
        value={draft.addresses}
        name="primaries"
        autocomplete="off"
        required
      />
      <SelectField
        label={texts.tsigKey}
        hint={texts.tsigKeyHint}
        fault={faultOf('/primaries/0/tsig_key_id')}
        value={draft.key}
        name="tsig-key"
        choices={[{ value: '', label: texts.noTsigKey }, ...keys.value, { value: NEW, label: texts.newTsigKey }]}
      />
      {draft.key.value === NEW && (
        <>
          <Field
            label={texts.keyName}
            hint={texts.keyNameHint}
            fault={faultOf('/name')}
            value={draft.name}
            name="tsig-name"
            autocomplete="off"
            required
          />
          <SelectField
            label={TEXTS.tsigKeys.algorithm}
            fault={faultOf('/algorithm')}
            value={draft.algorithm}
            name="tsig-algorithm"
            choices={ALGORITHMS.map((value) => ({ value, label: value }))}
          />
          <Field
            label={texts.keySecret}
            hint={texts.keySecretHint}
            fault={faultOf('/secret')}
            value={draft.secret}
            name="tsig-secret"
            autocomplete="off"
            required
          />
        </>
      )}
    </>
  );
}

/** The TSIG keys of the account, by name. Empty: there are none, or they cannot be read. */
export async function readTsigKeys(): Promise<readonly TsigKey[]> {
  const result = await settle(api.GET('/api/v1/tsig-keys', { params: { query: { sort: 'name' } } }));
  return result.ok ? result.data.tsig_keys : [];
}

/** Keys that are older than unique names may share one. */
function labelOf({ id, name, algorithm }: TsigKey, all: readonly TsigKey[]): string {
  return all.some((other) => other.name === name && other.id !== id) ? `${name} (${algorithm}, ${id})` : name;
}
