/** Uploads a package with XMLHttpRequest, because fetch reports no upload progress. */
import type { Upload } from '../api/views.ts';
import { actedUrl, type Result } from '../api.ts';
import { failureOf } from '../failure.ts';
import { session } from '../session.ts';

const ENDPOINT = '/api/dev/apps/upload';

export interface Sending {
  readonly result: Promise<Result<Upload>>;
  /** Aborts the request. The result is then a failure. */
  readonly cancel: () => void;
}

/** `onProgress`: called with the sent fraction, from 0 to 1. */
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
  if (status === 401) session.value = null;
  const body = parse(responseText) as { readonly upload?: Upload } | undefined;
  if (status === 200 && body?.upload !== undefined) return { ok: true, data: body.upload, response: new Response() };
  return { ok: false, failure: failureOf(status, body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
