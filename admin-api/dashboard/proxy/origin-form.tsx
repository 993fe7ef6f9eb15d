/** The web server behind the proxy. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { type OriginTest, OriginTestResult } from './origin-test.tsx';
import type { ProxyPage } from './proxy-page.ts';

const PROXY = '/api/v1/domains/{domain_id}/proxy';
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
  const typedHost = useSignal(host);
  const typedPort = useSignal(String(port));
  const typedProtocol = useSignal<string>(protocol);
  const test = useSignal<OriginTest | null>(null);
  const isTest = useRef(false);
  const bodyOf = () => {
    const usual = STANDARD_PORTS.get(typedProtocol.value);
    return {
      origin: typedHost.value.trim(),
      // The API reports a port that is not a number.
      port: (typedPort.value.trim() === '' ? Number(usual) : toNumber(typedPort.value)) as number,
      protocol: typedProtocol.value as 'http' | 'https',
    };
  };
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'setProxyOrigin'>>(
    ['/origin', '/port'],
    async () => {
      const body = bodyOf();
      test.value = null;
      if (isTest.current) {
        const result = await settle(api.POST(`${PROXY}/test-origin`, { params: page.params, body }));
        if (!result.ok) return result.failure;
        test.value = result.data.test;
        return null;
      }
      const call = api.PUT(PROXY, { params: page.params, body });
      const failure = await page.change(settle(call));
      if (failure === null) announce(texts.saved);
      return failure;
    },
  );
  /** The button that submits the form: Enter saves. */
  const choose = (isTesting: boolean): void => {
    if (!isRunning.value) isTest.current = isTesting;
  };
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <div class="columns">
        <Field
          label={texts.host}
          hint={texts.hostHint}
          fault={faultOf('/origin')}
          value={typedHost}
          name="origin"
          autocomplete="off"
        />
        <Field label={texts.port} fault={faultOf('/port')} value={typedPort} name="port" autocomplete="off" />
        <SelectField label={texts.protocol} value={typedProtocol} name="protocol" choices={PROTOCOLS} />
      </div>
      {test.value !== null && <OriginTestResult test={test.value} />}
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value} onClick={() => choose(false)}>
          {texts.save}
        </button>
        <button type="submit" class="button" aria-disabled={isRunning.value} onClick={() => choose(true)}>
          {isRunning.value && isTest.current ? texts.test.running : texts.test.submit}
        </button>
      </div>
    </form>
  );
}

/** Returns invalid text unchanged. */
const toNumber = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text);
