/** Uploads a certificate of the customer, pasted or from files. */
import { type Signal, useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Labelled } from '../../ui/parts/labelled.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { DialogActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

/** Maximum bytes, as in the API. */
const MAX_FILE = 65_536;

interface UploadProps {
  readonly page: ProxyPage;
  readonly onDone: () => void;
}

export function CertificateUpload({ page, onDone }: UploadProps) {
  const texts = TEXTS.proxy.certificate;
  const certificate = useSignal('');
  const key = useSignal('');
  const rsaCertificate = useSignal('');
  const rsaKey = useSignal('');
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'setCertificate'>>(
    ['/certificate', '/private_key', '/rsa_certificate', '/rsa_private_key'],
    async () => {
      const body = {
        ...{ certificate: certificate.value, private_key: key.value },
        ...(rsaCertificate.value !== '' && { rsa_certificate: rsaCertificate.value }),
        ...(rsaKey.value !== '' && { rsa_private_key: rsaKey.value }),
      };
      const call = api.PUT('/api/v1/domains/{domain_id}/proxy/certificate', { params: page.params, body });
      const failure = await page.change(settle(call));
      if (failure !== null) return failure;
      announce(texts.saved);
      onDone();
      return null;
    },
  );
  return (
    <form class="form" onSubmit={submit}>
      <p>{texts.uploadExplanation}</p>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <PemField
        label={texts.pem}
        chooseLabel={texts.choosePem}
        value={certificate}
        name="certificate"
        fault={faultOf('/certificate')}
      />
      <PemField
        label={texts.key}
        chooseLabel={texts.chooseKey}
        value={key}
        name="private_key"
        fault={faultOf('/private_key')}
      />
      <details>
        <summary>{texts.second}</summary>
        <PemField
          label={texts.rsaPem}
          chooseLabel={texts.chooseRsaPem}
          value={rsaCertificate}
          name="rsa_certificate"
          fault={faultOf('/rsa_certificate')}
        />
        <PemField
          label={texts.rsaKey}
          chooseLabel={texts.chooseRsaKey}
          value={rsaKey}
          name="rsa_private_key"
          fault={faultOf('/rsa_private_key')}
        />
      </details>
      <DialogActions label={texts.save} isDisabled={isRunning.value} onCancel={onDone} />
    </form>
  );
}

interface PemFieldProps {
  readonly label: string;
  readonly chooseLabel: string;
  readonly value: Signal<string>;
  readonly name: string;
  readonly fault: string | undefined;
}

/** A text in PEM, pasted or from a file. */
function PemField({ label, chooseLabel, value, name, fault }: PemFieldProps) {
  return (
    <>
      <TextArea label={label} value={value} name={name} rows={6} isCode fault={fault} />
      <FileInput label={chooseLabel} value={value} />
    </>
  );
}

/** Copies the content of a file into the field above. */
function FileInput({ label, value }: { readonly label: string; readonly value: Signal<string> }) {
  const isTooLarge = useSignal(false);
  const read = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    isTooLarge.value = file.size > MAX_FILE;
    if (!isTooLarge.value) value.value = await file.text();
  };
  return (
    <Labelled
      label={label}
      fault={isTooLarge.value ? TEXTS.proxy.certificate.tooLarge : undefined}
      renderControl={(attributes) => (
        <input
          {...attributes}
          type="file"
          accept=".pem,.crt,.cer,.key,text/plain"
          onChange={(event) => read(event.currentTarget)}
        />
      )}
    />
  );
}
