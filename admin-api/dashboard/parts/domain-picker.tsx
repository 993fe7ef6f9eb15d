/** Selects domains of the account with a search. */
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ListedDomain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import { TEXTS } from '../texts.ts';
import { FailureNote } from './notes.tsx';
import { usePagedList } from './paged-list.ts';

/** Maximum number of search results. */
const SHOWN = 8;

export type ChosenDomain = Pick<ListedDomain, 'id' | 'domain'>;

interface DomainPickerProps {
  readonly chosen: Signal<readonly ChosenDomain[]>;
  readonly fault?: string;
}

async function readDomains(q: string) {
  const query = { limit: SHOWN, ...(q === '' ? {} : { q }) };
  const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
  if (!result.ok) return result;
  const { domains, total } = result.data;
  return { ...result, data: { rows: domains, cursor: null, total } };
}

export function DomainPicker({ chosen, fault }: DomainPickerProps) {
  const texts = TEXTS.domainPicker;
  const id = useId();
  const searched = useSignal('');
  const { found, failure, reload } = usePagedList(searched.value, () => readDomains(searched.value.trim()));
  const has = (domainId: number): boolean => chosen.value.some((domain) => domain.id === domainId);
  const toggle = (domain: ChosenDomain): void => {
    chosen.value = has(domain.id)
      ? chosen.value.filter(({ id: chosenId }) => chosenId !== domain.id)
      : [...chosen.value, domain];
  };
  const rows = found.value?.rows ?? [];
  const hidden = (found.value?.total ?? 0) - rows.length;
  return (
    <fieldset class="picker" aria-describedby={fault === undefined ? undefined : `${id}-fault`}>
      <legend>{texts.legend}</legend>
      {chosen.value.length > 0 && (
        <ul class="chips" aria-label={texts.chosen}>
          {chosen.value.map((domain) => (
            <li key={domain.id}>
              <button
                type="button"
                class="chip"
                aria-label={texts.remove(toUnicode(domain.domain))}
                onClick={() => toggle(domain)}
              >
                {toUnicode(domain.domain)} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={searched.value}
        onInput={(event) => {
          searched.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          // Enter would submit the form.
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (rows.length > 0) toggle(rows[0]);
        }}
      />
      {failure.value !== null && <FailureNote failure={failure.value} retry={reload} />}
      <div class="picker-rows">
        {rows.map((domain) => (
          <label key={domain.id}>
            <input type="checkbox" checked={has(domain.id)} onChange={() => toggle(domain)} />
            <span>{toUnicode(domain.domain)}</span>
          </label>
        ))}
      </div>
      <p class="hint" role="status">
        {found.value !== null && rows.length === 0 && texts.nothing}
        {hidden > 0 && texts.more(hidden)}
      </p>
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
