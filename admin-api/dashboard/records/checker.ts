/** Checks edits with the API while the user types: a dry run of the batch that would save them. */
import type { Signal } from '@preact/signals';
import { api, settle } from '../api.ts';
import { countEdits, type Edits, faultsOf, type RowFault, toBatch } from './edits.ts';

/** A check starts when the user has stopped typing for this time. */
const TYPING_MS = 250;
/** More edits are only checked when they are saved. */
const MAX_CHECKED = 500;

interface Checker {
  /** Checks the edits soon, after the last of several calls. */
  schedule(): void;
}

export function createChecker(domainId: number, edits: Signal<Edits>, faults: Signal<readonly RowFault[]>): Checker {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = async (): Promise<void> => {
    const checked = edits.peek();
    const count = countEdits(checked);
    if (count === 0 || count > MAX_CHECKED) {
      faults.value = [];
      return;
    }
    const batch = toBatch(checked);
    const path = { domain_id: domainId };
    const result = await settle(
      api.POST('/api/v1/domains/{domain_id}/records/batch', {
        params: { path, query: { dry_run: 'true' } },
        body: batch,
      }),
    );
    // Newer edits are checked on their own. Without a response, saving reports what is wrong.
    if (result.ok && edits.peek() === checked)
      faults.value = faultsOf(batch, checked, result.data.preview?.faults ?? []);
  };
  return {
    schedule() {
      clearTimeout(timer);
      timer = setTimeout(check, TYPING_MS);
    },
  };
}
