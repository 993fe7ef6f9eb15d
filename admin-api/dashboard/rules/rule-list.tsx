/** The rules in their order: what each does, how often, and buttons to move, try and delete it. */
import { useSignal } from '@preact/signals';
import { announce } from '../../../core/browser/parts/announce.tsx';
import type { SiteRule } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { TEXTS } from '../texts.ts';
import { moved } from './rule-order.ts';
import type { RulesPage } from './rules-page.ts';

export function RuleList({ page }: { readonly page: RulesPage }) {
  const texts = TEXTS.rules;
  const failure = useSignal<Failure | null>(null);
  const { rules } = page;
  const replace = async (changed: readonly SiteRule[], text: string): Promise<void> => {
    failure.value = await page.replace(changed);
    if (failure.value === null) announce(text);
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
      {rules.map((rule, i) => (
        <RuleItem key={`${i} ${titleOf(rule, i)}`} page={page} rule={rule} index={i} replace={replace} />
      ))}
    </>
  );
}

const titleOf = ({ name, action }: SiteRule, index: number): string =>
  `${index + 1}. ${name ?? TEXTS.rules.types[action.type]}`;

interface ItemProps {
  readonly page: RulesPage;
  readonly rule: SiteRule;
  readonly index: number;
  replace(changed: readonly SiteRule[], text: string): Promise<void>;
}

function RuleItem({ page, rule, index, replace }: ItemProps) {
  const texts = TEXTS.rules;
  const isDeleting = useSignal(false);
  const { rules } = page;
  const title = titleOf(rule, index);
  const { action, match, except, dry_run: isDryRun = false, enabled: isEnabled = true } = rule;
  const { type, ...fields } = action;
  const count = page.counts.value[index];
  const change = (changed: Partial<SiteRule>, text: string): Promise<void> =>
    replace(
      rules.map((other, i) => (i === index ? { ...other, ...changed } : other)),
      text,
    );
  const move = (to: number): Promise<void> => replace(moved(rules, index, to), texts.moved(title, to + 1));
  const remove = async (): Promise<Failure | null> => {
    const failure = await page.replace(rules.filter((_, i) => i !== index));
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
      <ul class="exposed">
        <Part label={texts.match} value={match} empty={texts.everything} />
        {except !== undefined && <Part label={texts.except} value={except} empty="" />}
        {Object.keys(fields).length > 0 && <Part label={texts.fields} value={fields} empty="" />}
      </ul>
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-label={texts.upOf(title)}
          aria-disabled={index === 0}
          onClick={() => index > 0 && move(index - 1)}
        >
          {texts.up}
        </button>
        <button
          type="button"
          class="button"
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
        <button
          type="button"
          class="button"
          aria-label={texts.deleteOf(title)}
          onClick={() => {
            isDeleting.value = true;
          }}
        >
          {texts.delete}
        </button>
      </div>
      {isDeleting.value && (
        <Confirm
          title={texts.deleteTitle(title)}
          explanation={texts.deleteExplanation}
          word={title}
          label={texts.deleteNow}
          run={remove}
          onClose={() => {
            isDeleting.value = false;
          }}
        />
      )}
    </section>
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
