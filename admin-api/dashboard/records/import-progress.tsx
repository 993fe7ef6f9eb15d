/** The progress of an import that this page has started. */
import { useSignal } from '@preact/signals';
import type { ApiResponse } from '../../routes/routes.ts';
import { api, settle } from '../api.ts';
import { useInterval } from '../parts/use-interval.ts';
import { TEXTS } from '../texts.ts';

const INTERVAL_MS = 1000;

type Import = ApiResponse<'listImports'>['imports'][number];

/** `domain`: its name, in A-labels. */
export function ImportProgress({ domain }: { readonly domain: string }) {
  const texts = TEXTS.importProgress;
  const running = useSignal<Import | null>(null);
  useInterval(async () => {
    const result = await settle(api.GET('/api/v1/imports', { params: { query: { domain } } }));
    if (result.ok) running.value = result.data.imports[0] ?? null;
  }, INTERVAL_MS);
  const current = running.value;
  const text = current === null ? texts.sending : describe(current);
  // A bar without a value shows that something goes on.
  const value = current === null || current.percent === 0 ? undefined : current.percent;
  return (
    <div class="import-progress">
      <progress aria-label={texts.label} aria-valuetext={text} max={100} value={value} />
      <p class="hint" role="status">
        {text}
      </p>
    </div>
  );
}

function describe({ phase, position, records }: Import): string {
  const texts = TEXTS.importProgress;
  if (phase === 'queued') return texts.queued(position ?? 1);
  if (phase === 'records' && records !== null) return texts.records(records.done, records.total);
  return texts.phases[phase === 'records' ? 'committing' : phase];
}
