/**
 * Sends a request of the visitor's own. The token is in the memory of the page only: it is in no
 * URL and no storage, and cookies of the dashboard are not sent.
 */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Field } from '../ui/parts/field.tsx';
import { Labelled } from '../ui/parts/labelled.tsx';
import { TextArea } from '../ui/parts/text-area.tsx';
import { Scrolled } from './code.tsx';
import type { Operation, Parameter } from './document.ts';
import { TEXTS } from './texts.ts';

/** Characters of a response that are shown. */
const MAX_SHOWN = 100_000;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const token = signal('');

interface Answer {
  readonly status: string;
  readonly isGood: boolean;
  readonly text: string;
}

export function TryOut({ operation }: { readonly operation: Operation }) {
  const { method, path, parameters, requestBody, security } = operation;
  const values = useMemo(
    () => new Map(parameters.filter(isSent).map((parameter) => [parameter, signal(initialOf(parameter))])),
    [operation],
  );
  const [type] = Object.keys(requestBody?.content ?? {});
  const isJson = type === 'application/json';
  const body = useMemo(() => {
    const { example } = requestBody?.content[type] ?? {};
    return signal(example === undefined ? '' : JSON.stringify(example, null, 2));
  }, [operation]);
  const file = useRef<HTMLInputElement>(null);
  const running = useSignal<AbortController | null>(null);
  const answer = useSignal<Answer | null>(null);
  useEffect(() => () => running.peek()?.abort(), []);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (running.value !== null) return;
    const abort = new AbortController();
    running.value = abort;
    answer.value = null;
    try {
      const headers = new Headers({ Accept: 'application/json, */*' });
      if (token.value !== '') headers.set('Authorization', `Bearer ${token.value.trim()}`);
      if (type !== undefined && type !== 'multipart/form-data') headers.set('Content-Type', type);
      const sent = type === undefined ? undefined : isJson ? body.value : bodyOf(type, file.current?.files?.[0]);
      const started = performance.now();
      const response = await fetch(urlOf(path, values), {
        ...{ method, headers, body: sent, signal: abort.signal },
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
      });
      const status = `${response.status} ${response.statusText} · ${TEXTS.took(Math.round(performance.now() - started))}`;
      await readText(response, (text) => {
        answer.value = { status, isGood: response.ok, text };
      });
    } catch {
      if (!abort.signal.aborted) answer.value = { status: TEXTS.noAnswer, isGood: false, text: '' };
    } finally {
      running.value = null;
    }
  };

  return (
    <section class="card" aria-labelledby="try-title">
      <h2 id="try-title">{TEXTS.tryOut}</h2>
      <form class="form" onSubmit={send} autocomplete="off">
        {security.length > 0 && (
          <Field
            label={TEXTS.token}
            name="token"
            type="password"
            autocomplete="off"
            value={token}
            hint={TEXTS.tokenHint}
          />
        )}
        {[...values].map(([parameter, value]) => (
          <ParameterField key={parameter.name} parameter={parameter} value={value} />
        ))}
        {isJson && <TextArea label={TEXTS.bodyLabel} name="body" value={body} rows={8} isCode />}
        {type !== undefined && !isJson && (
          <Labelled
            label={`${TEXTS.file} (${type})`}
            renderControl={(attributes) => <input {...attributes} type="file" name="file" ref={file} />}
          />
        )}
        {!READS.has(method) && <p class="hint">{TEXTS.changes}</p>}
        <div class="actions">
          <button type="submit" class="button button-main" aria-disabled={running.value !== null}>
            {running.value === null ? TEXTS.send : TEXTS.sending}
          </button>
          {running.value !== null && (
            <button type="button" class="button" onClick={() => running.value?.abort()}>
              {TEXTS.stop}
            </button>
          )}
        </div>
      </form>
      <div aria-live="polite" class="stack">
        {answer.value !== null && (
          <p class={answer.value.isGood ? 'badge badge-good answer-status' : 'badge badge-bad answer-status'}>
            {answer.value.status}
          </p>
        )}
      </div>
      {answer.value !== null && answer.value.text !== '' && (
        <Scrolled label={TEXTS.response} text={answer.value.text} />
      )}
    </section>
  );
}

const isSent = ({ in: place }: Parameter): boolean => place !== 'header';

/** Filters are empty, so that the first request shows something. */
const initialOf = ({ in: place, example }: Parameter): string =>
  place === 'path' && typeof example === 'string' ? example : '';

function ParameterField({ parameter, value }: { readonly parameter: Parameter; readonly value: Signal<string> }) {
  const { name, in: place, required, example } = parameter;
  return (
    <Field
      label={place === 'path' ? `{${name}}` : name}
      name={`${place}-${name}`}
      autocomplete="off"
      value={value}
      required={required ?? false}
      placeholder={example === undefined ? undefined : String(example)}
    />
  );
}

function urlOf(path: string, values: ReadonlyMap<Parameter, Signal<string>>): string {
  let filled = path;
  const query = new URLSearchParams();
  for (const [{ name, in: place }, { value }] of values) {
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function bodyOf(type: string, file: File | undefined): Blob | FormData | undefined {
  if (file === undefined || type !== 'multipart/form-data') return file;
  const form = new FormData();
  form.append('package', file);
  return form;
}

/** Calls `show` with the text so far: streams of events do not end. */
async function readText(response: Response, show: (text: string) => void): Promise<void> {
  const type = response.headers.get('Content-Type') ?? '';
  if (!/json|^text\/|typescript|javascript/.test(type)) {
    const { byteLength } = await response.arrayBuffer();
    return show(byteLength === 0 ? '' : TEXTS.binary(byteLength));
  }
  if (!type.startsWith('text/event-stream')) return show(shownOf(await response.text()));
  show('');
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    text = (text + part).slice(-MAX_SHOWN);
    show(text);
  }
}

function shownOf(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  return shown.length <= MAX_SHOWN ? shown : `${shown.slice(0, MAX_SHOWN)}\n${TEXTS.cut}`;
}
