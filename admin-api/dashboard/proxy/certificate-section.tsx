/** The certificate: its steps, a new order, and the upload of the customer's own. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import type { ProxyView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { toBothForms } from '../names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { localTime } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import { certificateSteps } from './certificate-steps.ts';
import { CertificateUpload } from './certificate-upload.tsx';
import type { ProxyPage } from './proxy-page.ts';

const CERTIFICATE = '/api/v1/domains/{domain_id}/proxy/certificate';

/** The names that each certificate serves, and the names without a certificate. */
function Coverage({ proxy: { certificates, uncovered } }: { readonly proxy: ProxyView }) {
  const texts = TEXTS.proxy.certificate;
  return (
    <>
      {certificates.length > 1 && (
        <>
          <h3>{texts.several}</h3>
          <ul>
            {certificates.map(({ source, names, issuer, hosts, expires_at: expiresAt }) => (
              <li key={`${source} ${names.join()}`}>
                {texts.covering(names.map(toBothForms), issuer, hosts.map(toBothForms), localTime(expiresAt))}
              </li>
            ))}
          </ul>
        </>
      )}
      {certificates.length > 0 && uncovered.length > 0 && (
        <>
          <h3>{texts.uncovered}</h3>
          <ul>
            {uncovered.map(({ name, why, next_attempt_at: nextAt }) => (
              <li key={name}>
                <strong>{toBothForms(name)}</strong>: {why} {nextAt !== null && texts.nextAttemptAt(localTime(nextAt))}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export function CertificateSection({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy.certificate;
  const isUploading = useSignal(false);
  const isDeleting = useSignal(false);
  const { isRunning, failure, run } = useAction();
  const proxy = page.proxy.value!;
  const { source, names } = proxy.certificate;
  const order = async (): Promise<void> => {
    const call = () => settle(api.POST(CERTIFICATE, { params: page.params }));
    if (await run(() => page.change(call()))) announce(texts.ordered);
  };
  const returnToAutomatic = async (): Promise<Failure | null> => {
    const result = await page.change(settle(api.DELETE(CERTIFICATE, { params: page.params })));
    if (result === null) announce(texts.automaticDone);
    return result;
  };
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      {names.length > 0 && <p>{texts.names(names.map(toBothForms))}</p>}
      <Timeline steps={certificateSteps(proxy, Date.now())} />
      <Coverage proxy={proxy} />
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div class="actions">
        {source !== 'uploaded' && proxy.is_enabled === 1 && (
          <button type="button" class="button" aria-disabled={isRunning.value} onClick={order}>
            {texts.order}
          </button>
        )}
        {source === 'uploaded' && (
          <button
            type="button"
            class="button"
            onClick={() => {
              isDeleting.value = true;
            }}
          >
            {texts.automatic}
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-expanded={isUploading.value}
          onClick={() => {
            isUploading.value = !isUploading.value;
          }}
        >
          {texts.upload}
        </button>
      </div>
      {isUploading.value && (
        <CertificateUpload
          page={page}
          onDone={() => {
            isUploading.value = false;
          }}
        />
      )}
      {isDeleting.value && (
        <Confirm
          title={texts.automaticTitle}
          explanation={texts.automaticExplanation}
          word={page.domain.value}
          label={texts.automatic}
          run={returnToAutomatic}
          onClose={() => {
            isDeleting.value = false;
          }}
        />
      )}
    </section>
  );
}
