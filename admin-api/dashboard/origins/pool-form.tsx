/**
 * A pool: its name and path, its origins, and a health check. Settings that it does not show stay
 * as they are stored.
 */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { OriginsEntryBody } from '../api/views.ts';
import { formatNumber, readNumber } from '../edge/number-text.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { formatOrigin, formatOriginLine, type OriginLine, readOriginLines, withDefaults } from './origin-lines.ts';
import type { OriginsPage } from './origins-page.ts';

const NOT_STICKY = '' as const;
const STICKY_BY = ['cookie', 'client', 'header', 'cookie_hash'] as const;
const BALANCE = ['round_robin', 'least_connections'] as const;

interface PoolFormProps {
  readonly page: OriginsPage;
  /** The existing pools. */
  readonly origins: readonly OriginsEntryBody[];
  /** The pool that the form changes. Null: it adds one. */
  readonly stored: OriginsEntryBody | null;
  /** Called after a pool was changed. */
  readonly onDone?: () => void;
}

/** The first values of a new pool. */
const NEW: OriginsEntryBody = { name: '*', path: '/', pool: [], health: { path: '/' } };

export function PoolForm({ page, origins, stored, onDone }: PoolFormProps) {
  const texts = TEXTS.origins.add;
  // Events of other changes do not replace what is entered.
  const opened = useRef(stored).current;
  const first = opened ?? NEW;
  const name = useSignal(first.name ?? '');
  const path = useSignal(first.path ?? '/');
  const lines = useSignal(first.pool.map(formatOriginLine).join('\n'));
  const healthPath = useSignal(first.health === null ? '' : (first.health?.path ?? '/'));
  const balance = useSignal<string>(first.balance ?? BALANCE[0]);
  const slowStart = useSignal(formatNumber(first.slow_start ?? null));
  const sticky = useSignal<string>(first.sticky?.by ?? NOT_STICKY);
  const hashed = useSignal(first.sticky?.header ?? first.sticky?.cookie ?? '');
  const { isRunning, failure, submit } = useForm([], async () => {
    const entry: OriginsEntryBody = {
      ...opened,
      name: name.value.trim(),
      path: path.value.trim(),
      pool: readOriginLines(lines.value).map((line) => ({ ...storedLike(line, opened), ...line })),
      health: healthPath.value.trim() === '' ? null : { ...opened?.health, path: healthPath.value.trim() },
      balance: balance.value as OriginsEntryBody['balance'],
      slow_start: readNumber(slowStart.value, null),
      sticky: readSticky(sticky.value, hashed.value.trim(), opened?.sticky ?? null),
    };
    if (opened === null) return announceIf(await page.change({ origins: [...origins, entry] }), texts.added);
    const index = origins.findIndex((other) => JSON.stringify(other) === JSON.stringify(opened));
    if (index < 0) return { status: 409, code: 'changed', message: texts.changedMeanwhile, details: [] };
    const changed = origins.map((other, i) => (i === index ? entry : other));
    return announceIf(await page.change({ origins: changed }), texts.saved);
  });
  const announceIf = (result: Failure | null, text: string): Failure | null => {
    if (result !== null) return result;
    announce(text);
    if (opened === null) lines.value = '';
    onDone?.();
    return null;
  };
  const stickyChoices = [NOT_STICKY, ...STICKY_BY].map((value) => ({ value, label: texts.stickyChoices[value] }));
  const balanceChoices = BALANCE.map((value) => ({ value, label: texts.balanceChoices[value] }));
  return (
    <form class={opened === null ? 'card' : 'form'} onSubmit={submit}>
      {opened === null && <h2>{texts.heading}</h2>}
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div class="form-pairs">
        <Field label={texts.name} hint={texts.nameHint} value={name} name="name" autocomplete="off" />
        <Field label={texts.path} hint={texts.pathHint} value={path} name="path" autocomplete="off" />
      </div>
      <TextArea label={texts.origins} hint={texts.originsHint} value={lines} name="origins" rows={4} isCode />
      <div class="form-pairs">
        <Field label={texts.health} hint={texts.healthHint} value={healthPath} name="health" autocomplete="off" />
        <SelectField label={texts.sticky} value={sticky} name="sticky" choices={stickyChoices} />
      </div>
      {hasName(sticky.value) && <Field label={texts.hashed} value={hashed} name="hashed" autocomplete="off" />}
      <div class="form-pairs">
        <SelectField label={texts.balance} value={balance} name="balance" choices={balanceChoices} />
        <Field
          label={texts.slowStart}
          hint={texts.slowStartHint}
          value={slowStart}
          name="slow_start"
          inputmode="numeric"
          autocomplete="off"
        />
      </div>
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {opened === null ? texts.submit : texts.save}
        </button>
      </div>
    </form>
  );
}

/** The stored origin with the address of a line, whose other settings it keeps. */
function storedLike(line: OriginLine, stored: OriginsEntryBody | null): Partial<OriginsEntryBody['pool'][number]> {
  const url = formatOrigin(withDefaults(line));
  const found = stored?.pool.find((other) => formatOrigin(withDefaults(other)) === url);
  // A line without a weight has that of a new origin.
  return { ...found, weight: undefined };
}

const hasName = (by: string): boolean => by === 'header' || by === 'cookie_hash';

type Sticky = NonNullable<OriginsEntryBody['sticky']>;

/** `stored`: has the settings that the form does not show. */
function readSticky(by: string, name: string, stored: Sticky | null): Sticky | null {
  if (by === NOT_STICKY) return null;
  const sticky: Sticky = stored?.by === by ? stored : { by: by as Sticky['by'] };
  if (name === '' || !hasName(by)) return sticky;
  return by === 'header' ? { ...sticky, header: name } : { ...sticky, cookie: name };
}
