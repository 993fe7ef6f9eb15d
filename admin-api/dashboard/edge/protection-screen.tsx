/** The protection of a domain's sites: limits, slow clients, uploads, the challenge, and TLS. */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Pointer, ProtectionBody, ProtectionDocument } from '../api/views.ts';
import type { FaultOf } from '../parts/use-form.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';
import { versionedCalls } from './document-calls.ts';
import { DocumentForm } from './document-form.tsx';
import { DocumentFrame } from './document-frame.tsx';
import { formatNumber, readNumber } from './number-text.ts';
import { SiteDocument } from './site-document.ts';

const LIMITS = ['connections', 'new_connections_per_second', 'requests_in_flight', 'requests_per_second'] as const;
const SLOW = ['header_timeout', 'idle_timeout', 'body_rate', 'read_timeout'] as const;
const UPLOADS = ['max_size', 'buffer'] as const;
const CHALLENGE = ['above', 'difficulty', 'valid_for', 'wait'] as const;
const POINTERS: readonly Pointer<'setProtection'>[] = [
  ...LIMITS.map((name) => `/limits/${name}` as const),
  ...SLOW.map((name) => `/slow/${name}` as const),
  ...UPLOADS.map((name) => `/uploads/${name}` as const),
  ...CHALLENGE.map((name) => `/challenge/${name}` as const),
  '/tls/client_authorities',
];

type Challenge = ProtectionDocument['challenge'];
type Tls = ProtectionDocument['tls'];
type Numbers<Name extends string> = Readonly<Record<Name, Signal<string>>>;

const numbersOf = <Name extends string>(
  names: readonly Name[],
  values: Readonly<Record<Name, number | null>>,
): Numbers<Name> =>
  Object.fromEntries(names.map((name) => [name, signal(formatNumber(values[name]))])) as Numbers<Name>;

function readNumbers<Name extends string, Empty>(
  numbers: Numbers<Name>,
  empty: Empty,
): { [Key in Name]: number | Empty } {
  const read = Object.entries<Signal<string>>(numbers).map(([name, { value }]) => [name, readNumber(value, empty)]);
  return Object.fromEntries(read);
}

const choicesOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export function ProtectionScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new SiteDocument(domainId, versionedCalls('protection')), [domainId]);
  return <DocumentFrame page={page} render={(stored) => <ProtectionForm page={page} stored={stored} />} />;
}

interface ProtectionFormProps {
  readonly page: SiteDocument<ProtectionDocument, ProtectionBody>;
  readonly stored: ProtectionDocument;
}

function ProtectionForm({ page, stored }: ProtectionFormProps) {
  const texts = TEXTS.protection;
  const limits = useMemo(() => numbersOf(LIMITS, stored.limits), [stored]);
  const slow = useMemo(() => numbersOf(SLOW, stored.slow), [stored]);
  const uploads = useMemo(() => numbersOf(UPLOADS, stored.uploads), [stored]);
  const challenge = useMemo(() => numbersOf(CHALLENGE, stored.challenge), [stored]);
  const mode = useSignal<string>(stored.challenge.mode);
  const except = useSignal(stored.challenge.except.join('\n'));
  const tls = useTls(stored.tls);
  const read = (): ProtectionBody => {
    const prefixes = except.value.split('\n').map((line) => line.trim());
    return {
      limits: readNumbers(limits, null),
      slow: readNumbers(slow, null),
      uploads: readNumbers(uploads, null),
      challenge: {
        ...readNumbers(challenge, undefined),
        mode: mode.value as Challenge['mode'],
        except: prefixes.filter((prefix) => prefix !== ''),
      },
      tls: readTls(tls),
    };
  };
  return (
    <DocumentForm
      pointers={POINTERS}
      read={read}
      replace={(body) => page.replace(body)}
      render={(faultOf) => (
        <>
          <NumberSection group="limits" names={LIMITS} values={limits} texts={texts.limits} faultOf={faultOf} />
          <NumberSection group="slow" names={SLOW} values={slow} texts={texts.slow} faultOf={faultOf} />
          <NumberSection group="uploads" names={UPLOADS} values={uploads} texts={texts.uploads} faultOf={faultOf} />
          <ChallengeSection mode={mode} numbers={challenge} except={except} faultOf={faultOf} />
          <TlsSection draft={tls} faultOf={faultOf} />
        </>
      )}
    />
  );
}

interface ChallengeSectionProps {
  readonly mode: Signal<string>;
  readonly numbers: Numbers<(typeof CHALLENGE)[number]>;
  readonly except: Signal<string>;
  readonly faultOf: FaultOf<Pointer<'setProtection'>>;
}

function ChallengeSection({ mode, numbers, except, faultOf }: ChallengeSectionProps) {
  const texts = TEXTS.protection.challenge;
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      <SelectField label={texts.mode} value={mode} name="mode" choices={choicesOf(texts.modes)} />
      <div class="form-pairs">
        {CHALLENGE.map((name) => (
          <Field
            key={name}
            label={texts[name]}
            hint={name === 'difficulty' ? texts.difficultyHint : undefined}
            fault={faultOf(`/challenge/${name}`)}
            value={numbers[name]}
            name={name}
            inputmode="numeric"
            autocomplete="off"
          />
        ))}
      </div>
      <TextArea label={texts.except} hint={texts.exceptHint} value={except} name="except" rows={3} isCode />
    </section>
  );
}

interface TlsDraft {
  readonly minVersion: Signal<string>;
  readonly certificates: Signal<string>;
  readonly authorities: Signal<string>;
}

const useTls = (stored: Tls): TlsDraft => ({
  minVersion: useSignal<string>(stored.min_version),
  certificates: useSignal<string>(stored.client_certificates),
  authorities: useSignal(stored.client_authorities ?? ''),
});

const readTls = ({ minVersion, certificates, authorities }: TlsDraft): Tls => ({
  min_version: minVersion.value as Tls['min_version'],
  client_certificates: certificates.value as Tls['client_certificates'],
  client_authorities: authorities.value.trim() === '' ? null : authorities.value,
});

function TlsSection({
  draft,
  faultOf,
}: {
  readonly draft: TlsDraft;
  readonly faultOf: FaultOf<Pointer<'setProtection'>>;
}) {
  const texts = TEXTS.protection.tls;
  const versions = choicesOf({ '1.2': 'TLS 1.2', '1.3': 'TLS 1.3' });
  const modes = choicesOf(texts.certificateModes);
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      <div class="form-pairs">
        <SelectField label={texts.min_version} value={draft.minVersion} name="min_version" choices={versions} />
        <SelectField
          label={texts.client_certificates}
          value={draft.certificates}
          name="client_certificates"
          choices={modes}
        />
      </div>
      <TextArea
        label={texts.client_authorities}
        hint={texts.authoritiesHint}
        fault={faultOf('/tls/client_authorities')}
        value={draft.authorities}
        name="client_authorities"
        rows={4}
        isCode
      />
    </section>
  );
}

interface NumberSectionProps<Group extends string, Name extends string> {
  readonly group: Group;
  readonly names: readonly Name[];
  readonly values: Numbers<Name>;
  readonly texts: Readonly<Record<Name | 'heading' | 'explanation', string>>;
  readonly faultOf: FaultOf<`/${Group}/${Name}`>;
}

function NumberSection<Group extends string, Name extends string>(props: NumberSectionProps<Group, Name>) {
  const { group, names, values, texts, faultOf } = props;
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      <div class="form-pairs">
        {names.map((name) => (
          <Field
            key={name}
            label={texts[name]}
            fault={faultOf(`/${group}/${name}`)}
            value={values[name]}
            name={name}
            inputmode="numeric"
            autocomplete="off"
          />
        ))}
      </div>
    </section>
  );
}
