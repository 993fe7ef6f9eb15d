/** The state of the proxy, its switch, and warnings. */
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import { domainOf } from '../domain.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

export function StateSection({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy;
  const { isRunning, failure, run } = useAction();
  const proxy = page.proxy.value!;
  const isOn = proxy.is_enabled === 1;
  const toggle = async (): Promise<void> => {
    const call = () =>
      settle(api.POST('/api/v1/domains/{domain_id}/proxy/toggle', { params: page.params, body: { enable: !isOn } }));
    if (await run(() => page.change(call()))) await domainOf(page.domainId).load();
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          {isOn ? texts.isOn : texts.isOff} <span class={isOn ? 'dot dot-good' : 'dot'} aria-hidden="true" />
        </h2>
        <button
          type="button"
          class={isOn ? 'button' : 'button button-main'}
          aria-disabled={isRunning.value}
          onClick={toggle}
        >
          {isOn ? texts.turnOff : texts.turnOn}
        </button>
      </div>
      <p>{isOn ? texts.onText : texts.offText}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {proxy.warnings.length > 0 && (
        <div class="note note-warning">
          <p class="strong">{texts.warnings}</p>
          <ul>
            {proxy.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      {isOn && (
        <p>
          <a href={addressOf('requests', { domain_id: page.domainId })}>{texts.toRequests}</a>
        </p>
      )}
    </section>
  );
}
