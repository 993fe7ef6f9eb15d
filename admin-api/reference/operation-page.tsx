/** One operation: what it does, its parameters, bodies and errors, examples, and the try-out. */
import type { Operation, Reference } from './document.ts';
import { Samples } from './samples.tsx';
import { FieldHead, Fields, Prose, typeOf } from './schema.tsx';
import { TEXTS } from './texts.ts';
import { TryOut } from './try-out.tsx';

interface OperationProps {
  readonly reference: Reference;
  readonly operation: Operation;
}

export function Method({ method }: { readonly method: string }) {
  return <span class={`method method-${method.toLowerCase()}`}>{method}</span>;
}

export function OperationPage({ reference, operation }: OperationProps) {
  const { method, path, summary, description, parameters, requestBody, responses } = operation;
  const accepted = requestBody?.content['application/json']?.schema;
  const returned = responses['200']?.content?.['application/json']?.schema;
  const faults = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return (
    <article class="operation">
      <div class="stack operation-text">
        <h1 tabIndex={-1}>{summary}</h1>
        <p class="endpoint">
          <Method method={method} /> <code>{path}</code>
        </p>
        {description !== undefined && (
          <p class="lead">
            <Prose text={description} />
          </p>
        )}
        <Access operation={operation} />
        {parameters.length > 0 && (
          <section class="stack" aria-labelledby="parameters">
            <h2 id="parameters">{TEXTS.parameters}</h2>
            <ul class="fields">
              {parameters.map(({ name, in: place, required = false, schema, description: text }) => (
                <li key={`${place} ${name}`}>
                  <FieldHead name={name} type={`${place}, ${typeOf(reference, schema)}`} isRequired={required}>
                    {text}
                  </FieldHead>
                </li>
              ))}
            </ul>
          </section>
        )}
        {requestBody !== undefined && (
          <section class="stack" aria-labelledby="body">
            <h2 id="body">{TEXTS.body}</h2>
            {accepted === undefined ? (
              <p class="hint">{Object.keys(requestBody.content).join(', ')}</p>
            ) : (
              <Fields reference={reference} schema={accepted} />
            )}
          </section>
        )}
        <section class="stack" aria-labelledby="response">
          <h2 id="response">{TEXTS.response}</h2>
          {returned === undefined ? (
            <p class="hint">{Object.keys(responses['200']?.content ?? {}).join(', ')}</p>
          ) : (
            <Fields reference={reference} schema={returned} />
          )}
        </section>
        <section class="stack" aria-labelledby="errors">
          <h2 id="errors">{TEXTS.errors}</h2>
          <dl class="errors">
            {faults.map(([status, given]) => (
              <div key={status}>
                <dt>{status}</dt>
                <dd>
                  <Prose text={reference.resolve(given).description} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <div class="stack operation-code">
        <Samples operation={operation} />
        <TryOut key={operation.operationId} operation={operation} />
      </div>
    </article>
  );
}

function Access({ operation }: { readonly operation: Operation }) {
  const { security, 'x-scope': scope, 'x-role': role } = operation;
  if (scope === undefined) return <p class="hint">{security.length === 0 ? TEXTS.noToken : TEXTS.someToken}</p>;
  return (
    <p class="hint">
      {TEXTS.needsToken} <code>{scope}</code>
      {role === undefined ? '.' : `, ${TEXTS.needsAdmin}.`}
    </p>
  );
}
