/** The ordered list of rules, with counters, and buttons to move, try and delete each rule. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import type { RuleBody, SiteRule } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import { ConfirmAction } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { TEXTS } from '../texts.ts';
import { toConditions } from './conditions.ts';
import { RuleForm } from './rule-form.tsx';
import type { RulesPage } from './rules-page.ts';

export function RuleList({ page }: { readonly page: RulesPage }) {
  const texts = TEXTS.rules;
  const failure = useSignal<Failure | null>(null);
  const movedRule = useSignal<MovedRule | null>(null);
  const { rules } = page;
  const missing = page.missingNodes.value;
  const replace = async (changed: readonly SiteRule[], text: string): Promise<boolean> => {
    failure.value = await page.changeRules(changed);
    if (failure.value === null) announce(text);
    return failure.value === null;
  };
  if (rules.length === 0)
    return (
      <section class="card">
        <h2>{texts.heading}</h2>
        <p>{texts.empty}</p>
        <p class="hint">{texts.emptyHint}</p>
      </section>
    );
  return (
    <>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {missing.length > 0 && <p class="note note-warning">{texts.missing(missing)}</p>}
      {rules.map((rule, i) => (
        <RuleItem
          key={`${i} ${titleOf(rule, i)}`}
          page={page}
          rule={rule}
          index={i}
          movedRule={movedRule}
          replace={replace}
        />
      ))}
    </>
  );
}

const titleOf = ({ name, action }: SiteRule, index: number): string =>
  `${index + 1}. ${name ?? TEXTS.rules.types[action.type]}`;

/** The last moved rule. The button that moved it keeps the focus at the new index. */
interface MovedRule {
  readonly index: number;
  readonly isUp: boolean;
}

interface ItemProps {
  readonly page: RulesPage;
  readonly rule: SiteRule;
  readonly index: number;
  readonly movedRule: Signal<MovedRule | null>;
  /** Returns whether the change succeeded. */
  replace(changed: readonly SiteRule[], text: string): Promise<boolean>;
}

function RuleItem({ page, rule, index, movedRule, replace }: ItemProps) {
  const texts = TEXTS.rules;
  const { rules } = page;
  const title = titleOf(rule, index);
  const { action, match, except, dry_run: isDryRun = false, enabled: isEnabled = true } = rule;
  const { type, ...fields } = action;
  const count = page.counts.value[index];
  const edit = useRef<HTMLButtonElement>(null);
  const isEditing = useSignal(false);
  const opened = useRef(rule);
  if (!isEditing.value) opened.current = rule;
  const save = async (changed: RuleBody): Promise<Failure | null> => {
    if (JSON.stringify(page.rules[index]) !== JSON.stringify(opened.current))
      return { status: 409, code: 'changed', message: texts.changedMeanwhile, details: [] };
    const result = await page.changeRules(page.rules.map((other, i) => (i === index ? changed : other)));
    if (result === null) announce(texts.saved(title));
    return result;
  };
  const up = useRef<HTMLButtonElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const movement = movedRule.value;
  useEffect(() => {
    if (movement?.index !== index) return;
    (movement.isUp ? up : down).current?.focus();
    movedRule.value = null;
  }, [movement]);
  const change = (changed: Partial<SiteRule>, text: string): Promise<boolean> =>
    replace(
      rules.map((other, i) => (i === index ? { ...other, ...changed } : other)),
      text,
    );
  const move = async (to: number): Promise<void> => {
    if (await replace(moved(rules, index, to), texts.moved(title, to + 1)))
      movedRule.value = { index: to, isUp: to < index };
  };
  const remove = async (): Promise<Failure | null> => {
    const failure = await page.changeRules(rules.filter((_, i) => i !== index));
    if (failure === null) announce(texts.deleted(title));
    return failure;
  };
  return (
    <section class="card">
      <h2>{title}</h2>
      <p>
        <span class="badge">{texts.types[type]}</span>{' '}
        {!isEnabled && <span class="badge badge-quiet">{texts.off}</span>}{' '}
        {isDryRun && <span class="badge badge-warning">{texts.dryRun}</span>}{' '}
        {count !== undefined && <span class="hint">{texts.counts(count.matched, count.stopped)}</span>}
      </p>
      {isEditing.value ? (
        <RuleForm
          rule={rule as RuleBody}
          label={texts.form.edit(title)}
          save={save}
          onClose={() => {
            isEditing.value = false;
            requestAnimationFrame(() => edit.current?.focus());
          }}
        />
      ) : (
        <ul class="exposed">
          <MatchPart label={texts.match} match={match} empty={texts.everything} />
          {except !== undefined && <MatchPart label={texts.except} match={except} empty="" />}
          {Object.keys(fields).length > 0 && <Part label={texts.fields} value={fields} empty="" />}
        </ul>
      )}
      <ConfirmAction
        open={texts.delete}
        openLabel={texts.deleteOf(title)}
        title={texts.deleteTitle(title)}
        explanation={texts.deleteExplanation}
        word={title}
        label={texts.deleteNow}
        run={remove}
      >
        <button
          type="button"
          class="button"
          ref={edit}
          aria-label={texts.editOf(title)}
          aria-expanded={isEditing.value}
          onClick={() => {
            isEditing.value = !isEditing.value;
          }}
        >
          {texts.edit}
        </button>
        <button
          type="button"
          class="button"
          ref={up}
          aria-label={texts.upOf(title)}
          aria-disabled={index === 0}
          onClick={() => index > 0 && move(index - 1)}
        >
          {texts.up}
        </button>
        <button
          type="button"
          class="button"
          ref={down}
          aria-label={texts.downOf(title)}
          aria-disabled={index === rules.length - 1}
          onClick={() => index < rules.length - 1 && move(index + 1)}
        >
          {texts.down}
        </button>
        <button
          type="button"
          class="button"
          aria-pressed={isDryRun}
          aria-label={texts.dryRunOf(title)}
          onClick={() => change({ dry_run: !isDryRun }, isDryRun ? texts.acts(title) : texts.tries(title))}
        >
          {texts.dryRun}
        </button>
      </ConfirmAction>
    </section>
  );
}

interface MatchPartProps {
  readonly label: string;
  readonly match: SiteRule['match'];
  readonly empty: string;
}

/** Conditions in words, or as JSON if they have more. */
function MatchPart({ label, match, empty }: MatchPartProps) {
  const texts = TEXTS.rules;
  const conditions = toConditions(match as RuleBody['match']);
  if (conditions === null || conditions.length === 0) return <Part label={label} value={match} empty={empty} />;
  return (
    <li>
      <p>
        {label}:{' '}
        {conditions.map(({ kind, name, operator, values }, i) => (
          <span key={`${kind} ${name} ${operator}`}>
            {i > 0 && ` ${texts.and} `}
            {texts.condition(texts.form.kinds[kind], name, texts.form.operators[operator])}{' '}
            {values !== '' && <code>{values.split('\n').join(', ')}</code>}
          </span>
        ))}
      </p>
    </li>
  );
}

/** A part of a rule as JSON. */
function Part({ label, value, empty }: { readonly label: string; readonly value: unknown; readonly empty: string }) {
  const text = value === undefined || JSON.stringify(value) === '{}' ? '' : JSON.stringify(value);
  return (
    <li>
      <p>
        {label}: {text === '' ? empty : <code>{text}</code>}
      </p>
    </li>
  );
}

/** Moves the item at index `from` to index `to`. */
function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), list[from], ...rest.slice(to)];
}
