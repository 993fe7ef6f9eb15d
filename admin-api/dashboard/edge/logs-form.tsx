/** The settings of the delivery of request logs. */
import { type Signal, useSignal } from '@preact/signals';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { LogsBody, LogsDocument, Pointer } from '../api/views.ts';
import type { FaultOf } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { DocumentForm } from './document-form.tsx';
import { readNumber } from './number-text.ts';
import type { SiteDocument } from './site-document.ts';

const DESTINATIONS = ['none', 'endpoint', 'bucket'] as const;
type Destination = (typeof DESTINATIONS)[number];

const POINTERS: readonly Pointer<'setLogs'>[] = [
  '/enabled',
  '/endpoint/url',
  '/endpoint/authorization',
  '/endpoint/signing_secret',
  '/bucket/endpoint',
  '/bucket/region',
  '/bucket/name',
  '/bucket/prefix',
  '/bucket/access_key',
  '/bucket/secret_key',
  '/sample',
  '/fields',
];

const destinationOf = ({ endpoint, bucket }: LogsDocument): Destination => {
  if (endpoint !== null) return 'endpoint';
  return bucket === null ? 'none' : 'bucket';
};

interface LogsFormProps {
  readonly page: SiteDocument<LogsDocument, LogsBody>;
  readonly stored: LogsDocument;
}

export function LogsForm({ page, stored }: LogsFormProps) {
  const texts = TEXTS.logs;
  const enabled = useSignal(stored.enabled);
  const destination = useSignal<string>(destinationOf(stored));
  const endpoint = useEndpoint(stored.endpoint);
  const bucket = useBucket(stored.bucket);
  const sample = useSignal(String(stored.sample));
  const fields = useSignal(stored.fields.join('\n'));
  const address = useSignal<string>(stored.client_address);
  const read = (): LogsBody => ({
    enabled: enabled.value,
    endpoint: destination.value === 'endpoint' ? readEndpoint(endpoint) : null,
    bucket: destination.value === 'bucket' ? readBucket(bucket) : null,
    sample: readNumber(sample.value, undefined),
    fields: fields.value.split(/[\s,]+/).filter((field) => field !== '') as LogsBody['fields'],
    client_address: address.value as LogsBody['client_address'],
  });
  const addresses = (['full', 'truncated', 'omitted'] as const).map((value) => ({
    value,
    label: texts.clientAddresses[value],
  }));
  return (
    <DocumentForm
      pointers={POINTERS}
      read={read}
      replace={(body) => page.replace(body)}
      render={(faultOf) => (
        <>
          <section class="card">
            <h2>{texts.heading}</h2>
            <p>{texts.explanation}</p>
            <CheckField label={texts.enabled} value={enabled} name="enabled" fault={faultOf('/enabled')} />
            <SelectField
              label={texts.destination}
              value={destination}
              name="destination"
              choices={DESTINATIONS.map((value) => ({ value, label: texts.destinations[value] }))}
            />
            {destination.value === 'endpoint' && (
              <EndpointFields draft={endpoint} stored={stored.endpoint} faultOf={faultOf} />
            )}
            {destination.value === 'bucket' && (
              <BucketFields draft={bucket} isStored={stored.bucket !== null} faultOf={faultOf} />
            )}
          </section>
          <section class="card">
            <h2>{texts.lines}</h2>
            <div class="form-pairs">
              <Field
                label={texts.sample}
                hint={texts.sampleHint}
                fault={faultOf('/sample')}
                value={sample}
                name="sample"
                autocomplete="off"
              />
              <SelectField label={texts.clientAddress} value={address} name="client_address" choices={addresses} />
            </div>
            <TextArea label={texts.fields} fault={faultOf('/fields')} value={fields} name="fields" rows={8} isCode />
          </section>
        </>
      )}
    />
  );
}

interface EndpointDraft {
  readonly url: Signal<string>;
  readonly authorization: Signal<string>;
  readonly isAuthorizationDeleted: Signal<boolean>;
  readonly secret: Signal<string>;
  readonly isSecretDeleted: Signal<boolean>;
}

const useEndpoint = (stored: LogsDocument['endpoint']): EndpointDraft => ({
  url: useSignal(stored?.url ?? ''),
  authorization: useSignal(''),
  isAuthorizationDeleted: useSignal(false),
  secret: useSignal(''),
  isSecretDeleted: useSignal(false),
});

/** Undefined: unchanged. Null: delete the secret. */
function readSecret(text: Signal<string>, isDeleted: Signal<boolean>): string | null | undefined {
  const value = text.value.trim();
  if (value !== '') return value;
  return isDeleted.value ? null : undefined;
}

const readEndpoint = (draft: EndpointDraft): NonNullable<LogsBody['endpoint']> => ({
  url: draft.url.value.trim(),
  authorization: readSecret(draft.authorization, draft.isAuthorizationDeleted),
  signing_secret: readSecret(draft.secret, draft.isSecretDeleted),
});

interface EndpointFieldsProps {
  readonly draft: EndpointDraft;
  readonly stored: LogsDocument['endpoint'];
  readonly faultOf: FaultOf<Pointer<'setLogs'>>;
}

function EndpointFields({ draft, stored, faultOf }: EndpointFieldsProps) {
  const texts = TEXTS.logs;
  return (
    <>
      <Field
        label={texts.url}
        fault={faultOf('/endpoint/url')}
        value={draft.url}
        name="url"
        autocomplete="off"
        placeholder="https://logs.example.net/"
      />
      <Field
        label={texts.authorization}
        hint={stored?.has_authorization === true ? texts.stored : texts.notStored}
        fault={faultOf('/endpoint/authorization')}
        value={draft.authorization}
        name="authorization"
        type="password"
        autocomplete="off"
      />
      {stored?.has_authorization === true && (
        <CheckField label={texts.deleteAuthorization} value={draft.isAuthorizationDeleted} name="no_authorization" />
      )}
      <Field
        label={texts.signingSecret}
        hint={stored?.has_signing_secret === true ? texts.stored : texts.signingSecretHint}
        fault={faultOf('/endpoint/signing_secret')}
        value={draft.secret}
        name="signing_secret"
        type="password"
        autocomplete="off"
      />
      {stored?.has_signing_secret === true && (
        <CheckField label={texts.deleteSigningSecret} value={draft.isSecretDeleted} name="no_signing_secret" />
      )}
    </>
  );
}

interface BucketDraft {
  readonly endpoint: Signal<string>;
  readonly region: Signal<string>;
  readonly name: Signal<string>;
  readonly prefix: Signal<string>;
  readonly isPathStyle: Signal<boolean>;
  readonly accessKey: Signal<string>;
  readonly secretKey: Signal<string>;
}

const useBucket = (stored: LogsDocument['bucket']): BucketDraft => ({
  endpoint: useSignal(stored?.endpoint ?? ''),
  region: useSignal(stored?.region ?? ''),
  name: useSignal(stored?.name ?? ''),
  prefix: useSignal(stored?.prefix ?? ''),
  isPathStyle: useSignal(stored?.path_style ?? false),
  accessKey: useSignal(stored?.access_key ?? ''),
  secretKey: useSignal(''),
});

const readBucket = (draft: BucketDraft): NonNullable<LogsBody['bucket']> => ({
  endpoint: draft.endpoint.value.trim(),
  region: draft.region.value.trim(),
  name: draft.name.value.trim(),
  prefix: draft.prefix.value.trim(),
  path_style: draft.isPathStyle.value,
  access_key: draft.accessKey.value.trim(),
  secret_key: draft.secretKey.value.trim() === '' ? undefined : draft.secretKey.value.trim(),
});

interface BucketFieldsProps {
  readonly draft: BucketDraft;
  readonly isStored: boolean;
  readonly faultOf: FaultOf<Pointer<'setLogs'>>;
}

function BucketFields({ draft, isStored, faultOf }: BucketFieldsProps) {
  const texts = TEXTS.logs;
  const common = { autocomplete: 'off' } as const;
  return (
    <>
      <Field
        {...common}
        label={texts.bucketEndpoint}
        fault={faultOf('/bucket/endpoint')}
        value={draft.endpoint}
        name="endpoint"
        placeholder="https://s3.example.net"
      />
      <div class="form-pairs">
        <Field {...common} label={texts.name} fault={faultOf('/bucket/name')} value={draft.name} name="bucket" />
        <Field
          {...common}
          label={texts.region}
          fault={faultOf('/bucket/region')}
          value={draft.region}
          name="region"
          placeholder="eu-central-1"
        />
      </div>
      <Field
        {...common}
        label={texts.prefix}
        hint={texts.prefixHint}
        fault={faultOf('/bucket/prefix')}
        value={draft.prefix}
        name="prefix"
      />
      <CheckField label={texts.pathStyle} value={draft.isPathStyle} name="path_style" />
      <div class="form-pairs">
        <Field
          {...common}
          label={texts.accessKey}
          fault={faultOf('/bucket/access_key')}
          value={draft.accessKey}
          name="access_key"
        />
        <Field
          {...common}
          label={texts.secretKey}
          hint={isStored ? texts.stored : undefined}
          fault={faultOf('/bucket/secret_key')}
          value={draft.secretKey}
          name="secret_key"
          type="password"
        />
      </div>
    </>
  );
}
