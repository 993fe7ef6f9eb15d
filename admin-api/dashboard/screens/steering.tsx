/** The steered record sets of a domain: their list, and the document of the chosen one. */
import { useSignal } from '@preact/signals';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { api, settle } from '../api.ts';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { useResource } from '../parts/use-resource.ts';
import type { ScreenProps } from '../screen.ts';
import { SetEditor } from '../steering/set-editor.tsx';
import type { RecordSet } from '../steering/steering-calls.ts';
import { TEXTS } from '../texts.ts';

const TYPES = ['A', 'AAAA', 'CNAME', 'ALIAS'];

export function SteeringScreen({ domainId }: ScreenProps) {
  const texts = TEXTS.steering;
  const chosen = useSignal<RecordSet | null>(null);
  const { value, failure, load } = useResource(() =>
    settle(api.GET('/api/v1/domains/{domain_id}/steering', { params: { path: { domain_id: domainId } } })),
  );
  useChanges(isChangeOf(domainId, 'steering'), load);
  const sets = value.value?.steering ?? [];
  const choose = (set: RecordSet | null): void => {
    chosen.value = set;
  };
  return (
    <div class="stack">
      <section class="card">
        <h2>{texts.heading}</h2>
        <p>{texts.explanation}</p>
        {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
        {value.value === null && failure.value === null && <Skeleton />}
        {value.value !== null && sets.length === 0 && <p class="hint">{texts.none}</p>}
        <ul class="exposed">
          {sets.map((set) => (
            <li key={`${set.name} ${set.type}`}>
              <p>
                {set.name} {set.type}{' '}
                <span class="hint">
                  <Time value={set.updated_at} />
                </span>
              </p>
              <button
                type="button"
                class="button"
                aria-label={texts.openOf(set.name, set.type)}
                onClick={() => choose({ name: set.name, type: set.type })}
              >
                {texts.open}
              </button>
            </li>
          ))}
        </ul>
        <ChangeArea>
          <NewSet choose={choose} />
        </ChangeArea>
      </section>
      {chosen.value !== null && (
        <SetEditor
          key={`${chosen.value.name} ${chosen.value.type}`}
          domainId={domainId}
          set={chosen.value}
          onDeleted={() => {
            choose(null);
            void load();
          }}
        />
      )}
    </div>
  );
}

function NewSet({ choose }: { readonly choose: (set: RecordSet) => void }) {
  const texts = TEXTS.steering.add;
  const name = useSignal('');
  const type = useSignal('A');
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        choose({ name: name.value.trim() || '@', type: type.value });
      }}
    >
      <div class="form-pairs">
        <Field label={texts.name} hint={texts.nameHint} value={name} name="name" autocomplete="off" />
        <SelectField
          label={texts.type}
          value={type}
          name="type"
          choices={TYPES.map((value) => ({ value, label: value }))}
        />
      </div>
      <div class="actions">
        <button type="submit" class="button">
          {texts.submit}
        </button>
      </div>
    </form>
  );
}
