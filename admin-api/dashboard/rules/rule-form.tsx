/** The form of one rule: conditions as rows, the action with its fields, and the whole as JSON. */
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { RuleBody } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import { ACTION_FIELDS, ACTION_TYPES, type ActionField, kindOf, toAction, toTexts } from './action-fields.ts';
import { ConditionRows } from './condition-rows.tsx';
import { type Condition, toConditions, toMatch } from './conditions.ts';

interface RuleFormProps {
  readonly rule: RuleBody;
  readonly label: string;
  /** Null on success. */
  readonly save: (rule: RuleBody) => Promise<Failure | null>;
  readonly onClose: () => void;
}

/** What the inputs hold. */
interface Draft {
  readonly name: Signal<string>;
  readonly isEnabled: Signal<boolean>;
  readonly isDryRun: Signal<boolean>;
  readonly match: Signal<readonly Condition[]>;
  readonly except: Signal<readonly Condition[]>;
  readonly type: Signal<string>;
  readonly fields: Signal<Readonly<Record<string, string>>>;
}

export function RuleForm({ rule, label, save, onClose }: RuleFormProps) {
  const texts = TEXTS.rules.form;
  const { isRunning, failure, run } = useAction();
  const match = toConditions(rule.match);
  const except = toConditions(rule.except);
  const canShow = match !== null && except !== null;
  const draft: Draft = {
    name: useSignal(rule.name ?? ''),
    isEnabled: useSignal(rule.enabled ?? true),
    isDryRun: useSignal(rule.dry_run ?? false),
    match: useSignal(match ?? []),
    except: useSignal(except ?? []),
    type: useSignal<string>(rule.action.type),
    fields: useSignal<Readonly<Record<string, string>>>(toTexts(rule.action) as Record<string, string>),
  };
  /** The rule as JSON while that is edited. Null: the inputs are. */
  const json = useSignal<string | null>(canShow ? null : JSON.stringify(rule, null, 2));
  const fault = useSignal<string | undefined>(undefined);
  const read = (): RuleBody | null => {
    fault.value = undefined;
    try {
      return json.value === null ? ruleOf(draft) : (JSON.parse(json.value) as RuleBody);
    } catch (error) {
      fault.value = TEXTS.rules.document.noJson((error as Error).message);
      return null;
    }
  };
  const show = (shown: RuleBody): boolean => {
    const rows = toConditions(shown.match);
    const exceptions = toConditions(shown.except);
    if (rows === null || exceptions === null) return false;
    draft.name.value = shown.name ?? '';
    draft.isEnabled.value = shown.enabled ?? true;
    draft.isDryRun.value = shown.dry_run ?? false;
    draft.match.value = rows;
    draft.except.value = exceptions;
    draft.type.value = shown.action.type;
    draft.fields.value = toTexts(shown.action) as Record<string, string>;
    return true;
  };
  const switchMode = (): void => {
    const current = read();
    if (current === null) return;
    if (json.value === null) json.value = JSON.stringify(current, null, 2);
    else if (show(current)) json.value = null;
    else fault.value = texts.onlyJson;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const current = read();
    if (current === null) return;
    void run(async () => {
      const result = await save(current);
      if (result === null) onClose();
      return result;
    });
  };
  return (
    <form class="form rule-form" aria-label={label} onSubmit={submit}>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {json.value === null ? (
        <>
          {fault.value !== undefined && (
            <p class="fault" role="alert">
              {fault.value}
            </p>
          )}
          <Inputs draft={draft} />
        </>
      ) : (
        <JsonInput json={json as Signal<string>} fault={fault.value ?? (canShow ? undefined : texts.onlyJson)} />
      )}
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.save}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.cancel}
        </button>
        <button type="button" class="button button-quiet" aria-pressed={json.value !== null} onClick={switchMode}>
          {texts.json}
        </button>
      </div>
    </form>
  );
}

function ruleOf({ name, isEnabled, isDryRun, match, except, type, fields }: Draft): RuleBody {
  const conditions = toMatch(match.value);
  const exceptions = toMatch(except.value);
  const trimmed = name.value.trim();
  return {
    ...(trimmed !== '' && { name: trimmed }),
    ...(!isEnabled.value && { enabled: false }),
    ...(isDryRun.value && { dry_run: true }),
    ...(Object.keys(conditions).length > 0 && { match: conditions }),
    ...(Object.keys(exceptions).length > 0 && { except: exceptions }),
    action: toAction(type.value as RuleBody['action']['type'], fields.value),
  };
}

function JsonInput({ json, fault }: { readonly json: Signal<string>; readonly fault: string | undefined }) {
  return <TextArea label={TEXTS.rules.form.json} fault={fault} value={json} name="rule" rows={14} isCode />;
}

function Inputs({ draft }: { readonly draft: Draft }) {
  const texts = TEXTS.rules.form;
  const type = ACTION_TYPES.find((candidate) => candidate === draft.type.value) ?? 'allow';
  const [required, optional] = ACTION_FIELDS[type];
  const choices = ACTION_TYPES.map((value) => ({ value, label: TEXTS.rules.types[value] }));
  return (
    <>
      <Field label={texts.name} hint={texts.nameHint} value={draft.name} name="rule-name" autocomplete="off" />
      <ConditionRows legend={texts.match} empty={texts.everything} rows={draft.match} />
      <ConditionRows legend={texts.except} empty={texts.noException} rows={draft.except} />
      <fieldset class="rule-action">
        <legend>{texts.action}</legend>
        <SelectField label={texts.type} hint={texts.types[type]} value={draft.type} name="action" choices={choices} />
        {required.length + optional.length > 0 && (
          <div class="form-pairs">
            {[...required, ...optional].map((field) => (
              <ActionInput
                key={`${type} ${field}`}
                field={field}
                isRequired={required.includes(field)}
                fields={draft.fields}
              />
            ))}
          </div>
        )}
      </fieldset>
      <CheckField label={texts.isEnabled} value={draft.isEnabled} name="enabled" />
      <CheckField label={texts.isDryRun} hint={texts.dryRunHint} value={draft.isDryRun} name="dry-run" />
    </>
  );
}

interface ActionInputProps {
  readonly field: ActionField;
  readonly isRequired: boolean;
  readonly fields: Draft['fields'];
}

function ActionInput({ field, isRequired, fields }: ActionInputProps) {
  const id = useId();
  const texts = TEXTS.rules.form;
  const kind = kindOf(field);
  const label = texts.fields[field];
  const value = fields.value[field] ?? '';
  const set = (text: string): void => {
    fields.value = { ...fields.value, [field]: text };
  };
  if (kind === 'flag')
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={({ currentTarget }) => set(currentTarget.checked ? 'true' : '')}
        />
        {label}
      </label>
    );
  return (
    <div class="field">
      <label for={id}>
        {label} {!isRequired && <span class="hint">{texts.optional}</span>}
      </label>
      {kind === 'json' || kind === 'area' ? (
        <textarea
          id={id}
          class={kind === 'json' ? 'code' : undefined}
          rows={4}
          value={value}
          required={isRequired}
          spellcheck={false}
          placeholder={kind === 'json' ? texts.jsonHint : undefined}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          value={value}
          required={isRequired}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          pattern={kind === 'number' ? '[0-9]+' : undefined}
          spellcheck={false}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </div>
  );
}
