/** Creates a TSIG key, and shows its secret once, or enters an existing one. */
import { type Signal, useSignal } from '@preact/signals';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field, NameField } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { addressOf } from '../addresses.ts';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { ALGORITHMS } from '../keys/algorithms.ts';
import { HostField, LIMIT_POINTERS, LimitFields, readLimits, readPreset, useKeyLimits } from '../keys/limit-fields.tsx';
import { bindKey, nsupdateLines, type TsigKeyText, transferLine } from '../keys/tsig-lines.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { type ChosenDomain, DomainPicker } from '../parts/domain-picker.tsx';
import { FormActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface NewTsigKey extends Omit<TsigKeyText, 'secret'> {
  /** Undefined: it was entered, and is not shown. */
  readonly secret?: string;
  readonly warnings: readonly { readonly message: string }[];
  readonly scopes: readonly string[];
  /** Domain name for the examples. */
  readonly zone: string;
  readonly server: string;
  /** The record that an update may change. */
  readonly record: string;
  /** Whether its policies allow transfers. */
  readonly transfers: boolean;
}

/** Presets that make sense for DNS messages; reading is by transfers, which need a whole zone. */
const PRESETS = ['acme', 'ddns'] as const;

/** Domain name for the examples of a key for all domains. */
const EXAMPLE = 'example.com';

/** The choice of a key that only signs requests to primaries. */
const OUTGOING = 'outgoing';

export function AddTsigKey() {
  usePageTitle(TEXTS.addTsigKey.title);
  const made = useSignal<NewTsigKey | null>(null);
  if (isReader.value) return <p class="hint">{TEXTS.readsOnly}</p>;
  return made.value === null ? <TsigForm made={made} /> : <MadeTsigKey made={made.value} />;
}

function TsigForm({ made }: { readonly made: Signal<NewTsigKey | null> }) {
  const texts = TEXTS.addTsigKey;
  const name = useSignal('');
  const scope = useSignal('dns');
  const algorithm = useSignal('hmac-sha256');
  const secret = useSignal('');
  const isRestricted = useSignal(false);
  const domains = useSignal<readonly ChosenDomain[]>([]);
  const needsDomains = useSignal(false);
  const limits = useKeyLimits();
  const isPreset = PRESETS.some((use) => use === scope.value);
  const isOutgoing = scope.value === OUTGOING;
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'createTsigKey'>>(
    ['/name', '/secret', '/algorithm', '/domain_ids', ...LIMIT_POINTERS],
    async () => {
      const preset = await readPreset(limits, scope.value);
      if (preset === undefined) return null;
      // The API would create a key that is valid for no domain.
      const isChosen = isRestricted.value && !isOutgoing && !isPreset;
      needsDomains.value = isChosen && domains.value.length === 0;
      if (needsDomains.value) return null;
      const body = {
        name: name.value.trim(),
        outgoing: isOutgoing,
        scopes: isOutgoing ? [] : [isPreset ? 'dns' : scope.value],
        algorithm: algorithm.value as 'hmac-sha256',
        secret: secret.value.trim() === '' ? null : secret.value.trim(),
        domain_ids: preset === null ? (isChosen ? domains.value.map(({ id }) => id) : null) : [preset.domain.id],
        policies: preset?.policies ?? null,
        ...(!isOutgoing && readLimits(limits)),
      };
      const result = await settle(api.POST('/api/v1/tsig-keys', { body }));
      if (!result.ok) return result.failure;
      const example = await readExample(preset === null ? domains.value : [preset.domain]);
      const record =
        preset === null
          ? `test.${example.zone}. 300 A 192.0.2.1`
          : `${preset.policies[0].names?.[0]} 60 ${scope.value === 'acme' ? 'TXT "value"' : 'A 192.0.2.1'}`;
      made.value = { ...result.data, ...example, record, transfers: preset === null };
      return null;
    },
  );
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.title}</h1>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <NameField label={texts.name} hint={texts.nameHint} fault={faultOf('/name')} value={name} />
      <SelectField
        label={texts.allows}
        value={scope}
        name="scope"
        choices={[
          { value: 'dns', label: TEXTS.tsigKeys.updates },
          ...PRESETS.map((value) => ({ value, label: TEXTS.addKey.uses[value] })),
          { value: 'dns:read', label: TEXTS.tsigKeys.transfers },
          { value: OUTGOING, label: TEXTS.tsigKeys.outgoing },
        ]}
      />
      <SelectField
        label={TEXTS.tsigKeys.algorithm}
        hint={texts.algorithmHint}
        value={algorithm}
        name="algorithm"
        fault={faultOf('/algorithm')}
        choices={ALGORITHMS.map((value) => ({ value, label: value }))}
      />
      <Field
        label={texts.existing}
        hint={texts.existingHint}
        fault={faultOf('/secret')}
        value={secret}
        name="secret"
        type="password"
        autocomplete="off"
      />
      {isPreset && <HostField limits={limits} faultOf={faultOf} />}
      {!isOutgoing && !isPreset && <CheckField label={TEXTS.addKey.restrict} value={isRestricted} name="restrict" />}
      {!isOutgoing && !isPreset && isRestricted.value && (
        <DomainPicker
          chosen={domains}
          fault={needsDomains.value && domains.value.length === 0 ? TEXTS.addKey.noDomains : faultOf('/domain_ids')}
        />
      )}
      {!isOutgoing && <LimitFields limits={limits} faultOf={faultOf} />}
      <FormActions
        isRunning={isRunning.value}
        runningLabel={TEXTS.addKey.submitting}
        label={texts.submit}
        from="tsigKeys"
      />
    </form>
  );
}

/** Domain and nameserver for the examples. */
async function readExample(
  domains: readonly Pick<ChosenDomain, 'domain'>[],
): Promise<{ zone: string; server: string }> {
  const query = { limit: 1, ...(domains.length === 0 ? {} : { q: domains[0].domain }) };
  const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
  const found = result.ok ? result.data.domains.at(0) : undefined;
  return { zone: domains.at(0)?.domain ?? found?.domain ?? EXAMPLE, server: found?.nameservers.at(0) ?? 'NAMESERVER' };
}

function MadeTsigKey({ made }: { readonly made: NewTsigKey }) {
  const texts = TEXTS.addTsigKey;
  const { name, algorithm, secret, warnings, ...rest } = made;
  return (
    <section class="card narrow">
      <h1>{texts.made(name)}</h1>
      {warnings.map(({ message }) => (
        <p key={message} class="note note-warning" role="status">
          {message}
        </p>
      ))}
      {secret === undefined ? <p>{texts.entered}</p> : <Generated {...rest} tsigKey={{ name, algorithm, secret }} />}
      <div class="actions">
        <a class="button button-main" href={addressOf('tsigKeys')}>
          {TEXTS.addKey.done}
        </a>
      </div>
    </section>
  );
}

interface GeneratedProps extends Pick<NewTsigKey, 'scopes' | 'zone' | 'server' | 'record' | 'transfers'> {
  readonly tsigKey: TsigKeyText;
}

/** The secret of a new key, and lines for programs that use it. */
function Generated({ tsigKey, scopes, zone, server, record, transfers }: GeneratedProps) {
  const texts = TEXTS.addTsigKey;
  return (
    <>
      <p class="note note-warning" role="status">
        {texts.once}
      </p>
      <CodeBlock label={texts.secret} text={tsigKey.secret} />
      {scopes.includes('dns') && (
        <CodeBlock label={texts.nsupdate} text={nsupdateLines(tsigKey, { server, zone, record })} />
      )}
      {scopes.length > 0 && transfers && <CodeBlock label={texts.dig} text={transferLine(tsigKey, server, zone)} />}
      <CodeBlock label={texts.bind} text={bindKey(tsigKey)} />
    </>
  );
}
