/** What a client would get from the document in the editor, which may not be saved yet. */
import { type Signal, useSignal } from '@preact/signals';
import { Field } from '../../ui/parts/field.tsx';
import type { SteeringBody, SteeringTest } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { RecordSet } from './steering-calls.ts';

interface ClientTestProps {
  readonly domainId: number;
  readonly set: RecordSet;
  /** The document in the form. */
  readonly draft: Signal<SteeringBody>;
}

export function ClientTest({ domainId, set, draft }: ClientTestProps) {
  const texts = TEXTS.steering.test;
  const client = useSignal('');
  const ecs = useSignal('');
  const result = useSignal<SteeringTest | null>(null);
  const { isRunning, faultOf, otherFailure, submit } = useForm(['/client', '/ecs'], async () => {
    const { ttl, pools, rules, fallback } = draft.value;
    const asked = await settle(
      api.POST('/api/v1/domains/{domain_id}/steering/test', {
        params: { path: { domain_id: domainId } },
        body: {
          ...set,
          client: client.value.trim(),
          ecs: ecs.value.trim() || null,
          steering: { ttl, pools, rules, fallback },
        },
      }),
    );
    result.value = asked.ok ? asked.data : null;
    return asked.ok ? null : asked.failure;
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <div class="form-pairs">
        <Field
          label={texts.client}
          fault={faultOf('/client')}
          value={client}
          name="client"
          placeholder="192.0.2.1"
          autocomplete="off"
          required
        />
        <Field
          label={texts.ecs}
          hint={texts.ecsHint}
          fault={faultOf('/ecs')}
          value={ecs}
          name="ecs"
          placeholder="198.51.100.0/24"
          autocomplete="off"
        />
      </div>
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isRunning.value}>
          {texts.submit}
        </button>
      </div>
      {result.value !== null && <TestResult result={result.value} />}
    </form>
  );
}

function TestResult({ result: { client, results } }: { readonly result: SteeringTest }) {
  const texts = TEXTS.steering.test;
  const place = [client.country, client.continent].filter((part) => part !== null).join(', ');
  return (
    <div role="status">
      {results.map(({ name, type, pool, answers, reason, is_proxied: isProxied }) => (
        <div key={`${name} ${type}`}>
          <p>{texts.from(client.address, place)}</p>
          <ul>
            {answers.map(({ content, share }) => (
              <li key={content}>{texts.answer(content, Math.round(100 * share))}</li>
            ))}
          </ul>
          <p class="hint">{texts.why(pool, reason)}</p>
          {isProxied && <p class="hint">{texts.proxied}</p>}
        </div>
      ))}
    </div>
  );
}
