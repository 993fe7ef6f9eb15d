/** The form of a steering document: pools, rules and order, and the same document as JSON. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { SteeringBody, SteeringDocument } from '../api/views.ts';
import type { SiteDocument } from '../edge/site-document.ts';
import { faultsOf } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { poolsOf, withNewPool } from './draft.ts';
import { NumberInput } from './inputs.tsx';
import { PoolFields } from './pool-fields.tsx';
import { PoolOrder, RuleList } from './rule-fields.tsx';
import type { RecordSet } from './steering-calls.ts';

interface SteeringFormProps {
  readonly page: SiteDocument<SteeringDocument, SteeringBody>;
  readonly set: RecordSet;
  readonly draft: Signal<SteeringBody>;
}

/** Pointers of fields of the form, whose faults are next to them. */
const SHOWN = /^\/(?:ttl|fallback|(?:pools|rules)\/\d+\/)/;
const EXAMPLES: Readonly<Record<string, string>> = { A: '192.0.2.1', AAAA: '2001:db8::1' };

export function SteeringForm({ page, set, draft }: SteeringFormProps) {
  const texts = TEXTS.steering.document;
  const json = useJson(draft);
  const { isRunning, failure, submit } = useForm([], async () => {
    if (json.fault.value !== undefined) return null;
    const result = await page.replace(draft.value);
    if (result === null) announce(texts.saved);
    return result;
  });
  const faults = faultsOf(failure.value);
  const faultAt = (pointer: string): string | undefined =>
    faults.get(pointer) ?? [...faults].find(([at]) => at.startsWith(`${pointer}/`))?.[1];
  const isShown = [...faults.keys()].some((pointer) => SHOWN.test(pointer));
  const edit = (changed: SteeringBody): void => {
    draft.value = changed;
    json.show(changed);
    page.isEdited.value = true;
  };
  const parts = { draft: draft.value, edit, faultAt };
  return (
    <form class="stack" onSubmit={submit}>
      <section class="card">
        <h2>{texts.heading(set.name, set.type)}</h2>
        <p>{texts.explanation}</p>
        <NumberInput
          label={texts.ttl}
          fault={faultAt('/ttl')}
          value={draft.value.ttl}
          empty={undefined}
          name="ttl"
          placeholder="60"
          onChange={(ttl) => edit({ ...draft.value, ttl })}
        />
        {poolsOf(draft.value).map((pool, i) => (
          <PoolFields
            {...parts}
            key={String(i)}
            pool={pool}
            index={i}
            example={EXAMPLES[set.type] ?? 'www.example.net.'}
          />
        ))}
        <div class="actions">
          <button type="button" class="button" onClick={() => edit(withNewPool(draft.value))}>
            {TEXTS.steering.pools.add}
          </button>
        </div>
      </section>
      <RuleList {...parts} />
      <PoolOrder {...parts} />
      <details class="card">
        <summary>{texts.json}</summary>
        <TextArea label={texts.label} fault={json.fault.value} value={json.text} name="document" rows={18} isCode />
      </details>
      {failure.value !== null && !isShown && <FailureNote failure={failure.value} />}
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.save}
        </button>
      </div>
    </form>
  );
}

/** The draft as text. What is typed becomes the draft if it is a document. */
function useJson(draft: Signal<SteeringBody>) {
  const text = useSignal(JSON.stringify(draft.value, null, 2));
  const fault = useSignal<string | undefined>(undefined);
  const shown = useRef(text.value);
  useSignalEffect(() => {
    const typed = text.value;
    if (typed === shown.current) return;
    shown.current = typed;
    const read = readDocument(typed);
    fault.value = typeof read === 'string' ? read : undefined;
    if (typeof read !== 'string') draft.value = read;
  });
  const show = (changed: SteeringBody): void => {
    shown.current = JSON.stringify(changed, null, 2);
    text.value = shown.current;
    fault.value = undefined;
  };
  return { text, fault, show };
}

/** The document, or what is wrong with its text. The API reports the faults of its fields. */
function readDocument(text: string): SteeringBody | string {
  const texts = TEXTS.steering.document;
  try {
    const value = JSON.parse(text) as SteeringBody | null;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : texts.noDocument;
  } catch (error) {
    return texts.noJson((error as Error).message);
  }
}
