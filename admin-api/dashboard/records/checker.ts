/** Checks edits while the user types, with a dry run of the batch that would save them. */
import type { Signal } from '@preact/signals';
import { api, settle } from '../api.ts';
import { countEdits, type Edits, faultsOf, type RowFault, toBatch } from './edits.ts';

/** Milliseconds without input after which a check starts. */
const TYPING_MS = 250;
/** Maximum edits per check. More edits are checked only when the user saves them. */
const MAX_CHECKED = 500;

interface Checker {
  /** Schedules a check. A further call postpones it. */
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
    // Newer edits have their own check. After a failed check, saving reports the faults.
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
