/** Adds a pool: a name and path, its origins, and a health check. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { OriginsEntryBody } from '../api/views.ts';
import { readNumber } from '../edge/number-text.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { readOriginLines } from './origin-lines.ts';
import type { OriginsPage } from './origins-page.ts';

const NOT_STICKY = '' as const;
const STICKY_BY = ['cookie', 'client', 'header', 'cookie_hash'] as const;
const BALANCE = ['round_robin', 'least_connections'] as const;

interface AddPoolProps {
  readonly page: OriginsPage;
  /** The existing pools. */
  readonly origins: readonly OriginsEntryBody[];
}

export function AddPool({ page, origins }: AddPoolProps) {
  const texts = TEXTS.origins.add;
  const name = useSignal('*');
  const path = useSignal('/');
  const lines = useSignal('');
  const healthPath = useSignal('/');
  const balance = useSignal<string>(BALANCE[0]);
  const slowStart = useSignal('');
  const sticky = useSignal<string>(NOT_STICKY);
  const hashed = useSignal('');
  const { isRunning, failure, submit } = useForm([], async () => {
    const entry: OriginsEntryBody = {
      name: name.value.trim(),
      path: path.value.trim(),
      pool: readOriginLines(lines.value),
      health: healthPath.value.trim() === '' ? null : { path: healthPath.value.trim() },
      balance: balance.value as OriginsEntryBody['balance'],
      slow_start: readNumber(slowStart.value, null),
      sticky: readSticky(sticky.value, hashed.value.trim()),
    };
    const result = await page.change({ origins: [...origins, entry] });
    if (result === null) {
      announce(texts.added);
      lines.value = '';
    }
    return result;
  });
  const stickyChoices = [NOT_STICKY, ...STICKY_BY].map((value) => ({ value, label: texts.stickyChoices[value] }));
  const balanceChoices = BALANCE.map((value) => ({ value, label: texts.balanceChoices[value] }));
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
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
          {texts.submit}
        </button>
      </div>
    </form>
  );
}

const hasName = (by: string): boolean => by === 'header' || by === 'cookie_hash';

function readSticky(by: string, name: string): OriginsEntryBody['sticky'] {
  if (by === NOT_STICKY) return null;
  const sticky = { by: by as (typeof STICKY_BY)[number] };
  if (name === '' || !hasName(by)) return sticky;
  return by === 'header' ? { ...sticky, header: name } : { ...sticky, cookie: name };
}
