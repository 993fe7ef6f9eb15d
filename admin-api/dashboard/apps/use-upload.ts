/**
 * Uploads a package, and loads it: repeatedly until its audit has ended, and after changes by other
 * clients.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { parseJson } from '../../http/client.ts';
import type { Upload } from '../api/views.ts';
import { actedUrl, type Result } from '../api.ts';
import { type Failure, failureOf } from '../failure.ts';
import { useChanges } from '../parts/use-changes.ts';
import { useInterval } from '../parts/use-interval.ts';
import { noteEnd, session } from '../session.ts';
import { isInAudit } from './state-badge.tsx';

const ENDPOINT = '/api/dev/apps/upload';

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

export interface Sending {
  readonly result: Promise<Result<Upload>>;
  /** Aborts the request. The result is then a failure. */
  readonly cancel: () => void;
}

/**
 * Uploads a package with XMLHttpRequest, because fetch reports no upload progress.
 *
 * `onProgress`: called with the sent fraction, from 0 to 1.
 */
export function sendPackage(file: File, notes: string, onProgress: (part: number) => void): Sending {
  const request = new XMLHttpRequest();
  const form = new FormData();
  if (notes !== '') form.set('notes', notes);
  form.set('package', file);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total));
  const result = new Promise<Result<Upload>>((resolve) => {
    request.addEventListener('loadend', () => resolve(readResult(request)));
    request.open('POST', actedUrl('POST', ENDPOINT, ENDPOINT));
    request.setRequestHeader('X-Waypost-CSRF', session.peek()?.csrf_token ?? '');
    request.send(form);
  });
  return { result, cancel: () => request.abort() };
}

function readResult({ status, responseText }: XMLHttpRequest): Result<Upload> {
  if (status === 401) noteEnd();
  const body = parseJson(responseText) as { readonly upload?: Upload } | undefined;
  if (status === 200 && body?.upload !== undefined) return { ok: true, data: body.upload, response: new Response() };
  return { ok: false, failure: failureOf(status, body) };
}
