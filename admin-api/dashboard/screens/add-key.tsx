/** Creates an API key, and shows it once. */
import { type Signal, useSignal } from '@preact/signals';
import { KEY_USES, type KeyUse } from '../../routes/key-presets.ts';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { NameField } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { addressOf } from '../addresses.ts';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { HostField, LIMIT_POINTERS, LimitFields, readLimits, readPreset, useKeyLimits } from '../keys/limit-fields.tsx';
import { ACCESS, type Access, AREAS, type Area, curlLine, DOMAIN_AREAS, toScopes } from '../keys/new-key.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { type ChosenDomain, DomainPicker } from '../parts/domain-picker.tsx';
import { FormActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface NewKey {
  readonly token: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly domains: readonly number[] | null;
}

const POINTERS = ['/name', '/scopes', '/domains', ...LIMIT_POINTERS] as const;

/** The choice of scopes in place of a use. */
const OWN_CHOICE = 'own';
const USES = [OWN_CHOICE, ...KEY_USES].map((value) => ({ value, label: TEXTS.addKey.uses[value as KeyUse] }));

export function AddKey() {
  const texts = TEXTS.addKey;
  usePageTitle(texts.title);
  const made = useSignal<NewKey | null>(null);
  if (isReader.value) return <p class="hint">{TEXTS.readsOnly}</p>;
  return made.value === null ? <KeyForm made={made} /> : <MadeKey made={made.value} />;
}

function KeyForm({ made }: { readonly made: Signal<NewKey | null> }) {
  const texts = TEXTS.addKey;
  const name = useSignal('');
  const access = useSignal<Readonly<Record<Area, Access>>>({
    dns: 'write',
    proxy: 'none',
    packages: 'none',
    account: 'none',
  });
  const isRestricted = useSignal(false);
  const domains = useSignal<readonly ChosenDomain[]>([]);
  const limits = useKeyLimits();
  const use = useSignal<string>(OWN_CHOICE);
  const areas = isRestricted.value ? DOMAIN_AREAS : AREAS;
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'createToken'>>(POINTERS, async () => {
    const preset = await readPreset(limits, use.value);
    if (preset === undefined) return null;
    const body = {
      name: name.value.trim(),
      ...(preset === null
        ? {
            scopes: toScopes(access.value, areas),
            domains: isRestricted.value ? domains.value.map(({ id }) => id) : null,
          }
        : { domains: [preset.domain.id], policies: preset.policies }),
      ...readLimits(limits),
    };
    const result = await settle(api.POST('/api/v1/tokens', { body }));
    if (!result.ok) return result.failure;
    made.value = result.data;
    return null;
  });
  const domainsFault = faultOf('/domains');
  const scopesFault = faultOf('/scopes');
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.title}</h1>
      <p>{texts.explanation}</p>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <NameField label={texts.name} hint={texts.nameHint} fault={faultOf('/name')} value={name} />
      <SelectField label={texts.use} value={use} name="use" choices={USES} />
      {use.value === OWN_CHOICE ? (
        <>
          <CheckField label={texts.restrict} hint={texts.restrictHint} value={isRestricted} name="restrict" />
          {isRestricted.value && (
            <DomainPicker
              chosen={domains}
              fault={domains.value.length === 0 && domainsFault !== undefined ? texts.noDomains : domainsFault}
            />
          )}
          <fieldset class="areas">
            <legend>{texts.allows}</legend>
            {areas.map((area) => (
              <AreaField key={area} area={area} access={access} />
            ))}
            {scopesFault !== undefined && (
              <p class="fault" role="alert">
                {scopesFault}
              </p>
            )}
          </fieldset>
        </>
      ) : (
        <HostField limits={limits} faultOf={faultOf} />
      )}
      <LimitFields limits={limits} faultOf={faultOf} />
      <FormActions isRunning={isRunning.value} runningLabel={texts.submitting} label={texts.submit} from="keys" />
    </form>
  );
}

interface AreaFieldProps {
  readonly area: Area;
  readonly access: Signal<Readonly<Record<Area, Access>>>;
}

function AreaField({ area, access }: AreaFieldProps) {
  const { name, text } = TEXTS.addKey.areas[area];
  return (
    <div class="area">
      <p id={`area-${area}`}>
        <strong>{name}</strong>
        <span class="hint"> {text}</span>
      </p>
      <select
        aria-labelledby={`area-${area}`}
        value={access.value[area]}
        onChange={({ currentTarget: { value } }) => {
          access.value = { ...access.value, [area]: value };
        }}
      >
        {ACCESS.map((each) => (
          <option key={each} value={each}>
            {TEXTS.addKey.access[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

function MadeKey({ made: { token, name, scopes, domains } }: { readonly made: NewKey }) {
  const texts = TEXTS.addKey;
  const line = curlLine(window.location.origin, token, scopes, domains?.[0] ?? null);
  return (
    <section class="card narrow">
      <h1>{texts.made(name)}</h1>
      <p class="note note-warning" role="status">
        {texts.once}
      </p>
      <CodeBlock label={texts.key} text={token} />
      <CodeBlock label={texts.curl} text={line} hint={texts.curlHint} />
      <div class="actions">
        <a class="button button-main" href={addressOf('keys')}>
          {texts.done}
        </a>
      </div>
    </section>
  );
}
