/** The web server behind the proxy. */
import { useSignal } from '@preact/signals';
import { api, settle } from '../api.ts';
import { announce } from '../parts/announce.tsx';
import { Field } from '../parts/field.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { faultAt, useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

const PROTOCOLS = [
  { value: 'https', label: 'HTTPS' },
  { value: 'http', label: 'HTTP' },
];
const STANDARD_PORTS: ReadonlyMap<string, string> = new Map([
  ['https', '443'],
  ['http', '80'],
]);

export function OriginForm({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy.origin;
  const { origin_host: host, origin_port: port, origin_protocol: protocol } = page.proxy.value!;
  const typedHost = useSignal(host ?? '');
  const typedPort = useSignal(String(port ?? 443));
  const typedProtocol = useSignal<string>(protocol ?? 'https');
  const { isRunning, failure, run } = useAction();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const usual = STANDARD_PORTS.get(typedProtocol.value);
    const body = {
      origin: typedHost.value.trim(),
      // The API names what is wrong with a port that is not a number.
      port: (typedPort.value.trim() === '' ? Number(usual) : toNumber(typedPort.value)) as number,
      protocol: typedProtocol.value as 'http' | 'https',
    };
    const call = () => settle(api.PUT('/api/v1/domains/{domain_id}/proxy', { params: page.params, body }));
    if (await run(() => page.change(call()))) announce(texts.saved);
  };
  const hostFault = faultAt(failure.value, '/origin');
  const portFault = faultAt(failure.value, '/port');
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {failure.value !== null && hostFault === undefined && portFault === undefined && (
        <FailureNote failure={failure.value} />
      )}
      <div class="columns">
        <Field
          label={texts.host}
          hint={texts.hostHint}
          fault={hostFault}
          value={typedHost}
          name="origin"
          autocomplete="off"
        />
        <Field label={texts.port} fault={portFault} value={typedPort} name="port" autocomplete="off" />
        <SelectField label={texts.protocol} value={typedProtocol} name="protocol" choices={PROTOCOLS} />
      </div>
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.save}
        </button>
      </div>
    </form>
  );
}

/** Text that is no number stays text. */
const toNumber = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text);
