/** The steps of a new account with their live state, until all are done or the user hides them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../ui/parts/icon.tsx';
import { IconButton } from '../../ui/parts/icon-button.tsx';
import { addressOf } from '../addresses.ts';
import type { Overview, OwnAccountView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { useResource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';

const HIDDEN = 'waypost-checklist-hidden';

interface ChecklistProps {
  readonly account: OwnAccountView;
  readonly overview: Overview;
}

/** The domain for which the steps are shown: the first one. Undefined: there is none. */
async function readFirstDomain() {
  const result = await settle(api.GET('/api/v1/domains', { params: { query: { limit: 1, sort: 'created_at' } } }));
  return result.ok ? { ...result, data: { id: result.data.domains[0]?.id } } : result;
}

export function Checklist({ account, overview }: ChecklistProps) {
  const texts = TEXTS.overview.checklist;
  const isHidden = useSignal(isStored());
  const first = useResource(readFirstDomain);
  const id = first.value.value?.id;
  useEffect(() => void first.load(), [account.domain_count]);
  const params = { domain_id: id ?? 0 };
  const steps = [
    { name: 'domain', isDone: account.domain_count > 0, href: addressOf('addDomain') },
    { name: 'records', isDone: account.dns_record_count > 0, href: addressOf('records', params) },
    { name: 'delegation', isDone: overview.delegation.live > 0, href: addressOf('setUp', params) },
    { name: 'proxy', isDone: overview.proxied > 0, href: addressOf('proxy', params) },
    { name: 'certificate', isDone: overview.certificates > 0, href: addressOf('proxy', params) },
  ] as const;
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.findIndex(({ isDone }) => !isDone);
  if (isHidden.value || next === -1) return null;
  const hide = (): void => {
    isHidden.value = true;
    try {
      localStorage.setItem(HIDDEN, 'yes');
    } catch {}
  };
  return (
    <section class="card" aria-labelledby="checklist">
      <div class="card-head">
        <h2 id="checklist">{TEXTS.overview.first}</h2>
        <span class="hint">{texts.done(done, steps.length)}</span>
        <IconButton icon="close" label={texts.hide} onClick={hide} />
      </div>
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${(100 * done) / steps.length}%` }} />
      </span>
      <ol class="checklist">
        {steps.map(({ name, isDone, href }, i) => (
          <li key={name} class={isDone ? 'checklist-done' : undefined} aria-current={i === next ? 'step' : undefined}>
            <span class="checklist-sign">{isDone ? <Icon name="check" /> : i + 1}</span>
            <div>
              <h3>
                {texts.steps[name].title} {isDone && <span class="hidden">({texts.isDone})</span>}
              </h3>
              {!isDone && <p class="hint">{texts.steps[name].text}</p>}
            </div>
            {i === next && (name === 'domain' || id !== undefined) && (
              <a class="button button-main" href={href}>
                {texts.steps[name].action}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Browsers may refuse storage; then the choice ends with the page. */
function isStored(): boolean {
  try {
    return localStorage.getItem(HIDDEN) !== null;
  } catch {
    return false;
  }
}
