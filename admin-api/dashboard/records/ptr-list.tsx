/** The addresses of a domain without a PTR record in reverse zones of the account. */
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useResource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';

const MAX_SHOWN = 20;

export function PtrList({ domainId }: { readonly domainId: number }) {
  const texts = TEXTS.records;
  const params = { path: { domain_id: domainId }, query: { state: 'problem', limit: MAX_SHOWN } } as const;
  const { value, failure, load } = useResource(() => settle(api.GET('/api/v1/domains/{domain_id}/ptrs', { params })));
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  const { ptrs = [], next_cursor: next = null } = value.value ?? {};
  if (ptrs.length === 0) return null;
  return (
    <details class="card">
      <summary>{texts.withoutPtr(ptrs.length, next !== null)}</summary>
      <ul>
        {ptrs.map(({ name, content, targets, reverse_domain: zone }) => (
          <li key={`${name} ${content}`}>{texts.ptrProblem(name, content, targets, zone ?? '')}</li>
        ))}
      </ul>
    </details>
  );
}
