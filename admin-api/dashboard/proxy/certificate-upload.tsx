/** Uploads a certificate of the customer, pasted or from files. */
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { api, settle } from '../api.ts';
import { announce } from '../parts/announce.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { TextArea } from '../parts/text-area.tsx';
import { faultAt, useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

/** Bytes: the maximum of the API. */
const MAX_FILE = 65_536;

interface UploadProps {
  readonly page: ProxyPage;
  readonly onDone: () => void;
}

export function CertificateUpload({ page, onDone }: UploadProps) {
  const texts = TEXTS.proxy.certificate;
  const certificate = useSignal('');
  const key = useSignal('');
  const { isRunning, failure, run } = useAction();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const body = { certificate: certificate.value, private_key: key.value };
    const call = () => settle(api.PUT('/api/v1/domains/{domain_id}/proxy/certificate', { params: page.params, body }));
    if (!(await run(() => page.change(call())))) return;
    announce(texts.saved);
    onDone();
  };
  const [pemFault, keyFault] = [faultAt(failure.value, '/certificate'), faultAt(failure.value, '/private_key')];
  return (
    <form class="form" onSubmit={submit}>
      <p>{texts.uploadExplanation}</p>
      {failure.value !== null && pemFault === undefined && keyFault === undefined && (
        <FailureNote failure={failure.value} />
      )}
      <TextArea label={texts.pem} value={certificate} name="certificate" rows={6} isCode fault={pemFault} />
      <FileInput label={texts.choosePem} value={certificate} />
      <TextArea label={texts.key} value={key} name="private_key" rows={6} isCode fault={keyFault} />
      <FileInput label={texts.chooseKey} value={key} />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.save}
        </button>
        <button type="button" class="button" onClick={onDone}>
          {TEXTS.cancel}
        </button>
      </div>
    </form>
  );
}

/** Puts the content of a file into the field above. */
function FileInput({ label, value }: { readonly label: string; readonly value: Signal<string> }) {
  const id = useId();
  const isTooLarge = useSignal(false);
  const read = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    isTooLarge.value = file.size > MAX_FILE;
    if (!isTooLarge.value) value.value = await file.text();
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept=".pem,.crt,.cer,.key,text/plain"
        aria-describedby={isTooLarge.value ? `${id}-fault` : undefined}
        onChange={(event) => read(event.currentTarget)}
      />
      {isTooLarge.value && (
        <p class="fault" id={`${id}-fault`} role="alert">
          {TEXTS.proxy.certificate.tooLarge}
        </p>
      )}
    </div>
  );
}
