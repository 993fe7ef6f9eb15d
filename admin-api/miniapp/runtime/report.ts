/** Parses the prelude's report about an event. */
import { type EngineOutcome, failure } from './outcome.ts';
import type { Report } from './prelude.ts';

const NO_HANDLER = 'The file defines no global function onBackgroundEvent.';
const PENDING = 'The promise that onBackgroundEvent returned is never settled: nothing runs later in the background.';

export function outcomeOf({ kind, message, stack, value }: Report): EngineOutcome {
  if (kind === 'finished') return { state: 'finished', value: value ?? null };
  if (kind === 'no_handler') return failure('no_handler', NO_HANDLER);
  if (kind === 'pending') return failure('threw', PENDING);
  return { ...failure(kind, message ?? ''), stack: stack ?? null };
}
