/** Loads a package: repeatedly until its audit has ended, and after changes by other clients. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Upload } from '../api/views.ts';
import type { Result } from '../api.ts';
import type { Failure } from '../failure.ts';
import { useChanges } from '../parts/use-changes.ts';
import { useInterval } from '../parts/use-interval.ts';
import { isInAudit } from './state-badge.tsx';

const AUDIT_MS = 1000;

interface ShownUpload {
  /** Null: not loaded yet. */
  readonly upload: Signal<Upload | null>;
  readonly failure: Signal<Failure | null>;
  readonly load: () => Promise<void>;
}

export function useUpload(id: number, read: () => Promise<Result<{ readonly upload: Upload }>>): ShownUpload {
  const upload = useSignal<Upload | null>(null);
  const failure = useSignal<Failure | null>(null);
  const load = async (): Promise<void> => {
    const result = await read();
    failure.value = result.ok ? null : result.failure;
    // An unchanged package keeps its object, so the report is not rendered again.
    if (result.ok && !isSame(upload.peek(), result.data.upload)) upload.value = result.data.upload;
  };
  useEffect(() => void load(), []);
  const state = upload.value?.status;
  useInterval(load, state !== undefined && isInAudit(state) ? AUDIT_MS : null);
  useChanges((change) => change.kind === 'upload' && change.id === id, load);
  return { upload, failure, load };
}

const isSame = (before: Upload | null, after: Upload): boolean =>
  before !== null && before.status === after.status && before.history.length === after.history.length;
