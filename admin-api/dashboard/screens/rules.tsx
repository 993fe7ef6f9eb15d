/** The rules of a domain: their order and counters, templates, and the whole list as JSON. */

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import type { RuleBody } from '../api/views.ts';
import { DocumentFrame } from '../edge/document-frame.tsx';
import { JsonForm } from '../edge/json-form.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { useInterval } from '../parts/use-interval.ts';
import { RuleForm } from '../rules/rule-form.tsx';
import { RuleList } from '../rules/rule-list.tsx';
import { RulesPage } from '../rules/rules-page.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** Counts change without an event, so they are reloaded at this interval in milliseconds. */
const REFRESH_MS = 5000;

export function RulesScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new RulesPage(domainId), [domainId]);
  useInterval(() => page.loadCounts(), REFRESH_MS);
  return (
    <DocumentFrame
      page={page}
      renderLatest={() => (
        <>
          <RuleList page={page} />
          <AddRule page={page} />
          {page.templates.value.length > 0 && <AddTemplate page={page} />}
        </>
      )}
      render={(stored) => (
        <JsonForm<RuleBody>
          texts={TEXTS.rules.document}
          items={stored.rules}
          replace={(rules) => page.replace({ rules: [...rules] })}
        />
      )}
    />
  );
}

const NEW_RULE: RuleBody = { action: { type: 'deny' } };

/** Appends a rule. */
function AddRule({ page }: { readonly page: RulesPage }) {
  const texts = TEXTS.rules.form;
  const isOpen = useSignal(false);
  if (!isOpen.value)
    return (
      <div class="actions">
        <button
          type="button"
          class="button button-main"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {texts.add}
        </button>
      </div>
    );
  return (
    <section class="card">
      <h2>{texts.add}</h2>
      <RuleForm
        rule={NEW_RULE}
        label={texts.add}
        save={async (rule) => {
          const result = await page.changeRules([...page.rules, rule]);
          if (result === null) announce(TEXTS.rules.document.saved);
          return result;
        }}
        onClose={() => {
          isOpen.value = false;
        }}
      />
    </section>
  );
}

/** Appends the rules of a template to those of the domain. */
function AddTemplate({ page }: { readonly page: RulesPage }) {
  const texts = TEXTS.rules.add;
  const templates = page.templates.value;
  const name = useSignal(templates[0]?.name ?? '');
  const chosen = templates.find((template) => template.name === name.value);
  const { isRunning, failure, submit } = useForm([], async () => {
    if (chosen === undefined) return null;
    const result = await page.changeRules([...page.rules, ...chosen.rules]);
    if (result === null) announce(texts.added(chosen.title));
    return result;
  });
  const choices = templates.map((template) => ({ value: template.name, label: template.title }));
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <SelectField label={texts.template} value={name} name="template" choices={choices} />
      {chosen !== undefined && <p class="hint">{chosen.description}</p>}
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isRunning.value}>
          {texts.submit}
        </button>
      </div>
    </form>
  );
}
