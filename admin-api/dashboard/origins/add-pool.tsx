/** Adds a pool: a name and path, its origins, and a health check. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { OriginsEntryBody } from '../api/views.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { readOriginLines } from './origin-lines.ts';
import type { OriginsPage } from './origins-page.ts';

const NOT_STICKY = '';

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
  const sticky = useSignal(NOT_STICKY);
  const { isRunning, failure, submit } = useForm([], async () => {
    const entry: OriginsEntryBody = {
      name: name.value.trim(),
      path: path.value.trim(),
      pool: readOriginLines(lines.value),
      health: healthPath.value.trim() === '' ? null : { path: healthPath.value.trim() },
      sticky: sticky.value === NOT_STICKY ? null : { by: sticky.value as 'cookie' | 'client' },
    };
    const result = await page.change({ origins: [...origins, entry] });
    if (result === null) {
      announce(texts.added);
      lines.value = '';
    }
    return result;
  });
  const choices = [NOT_STICKY, 'cookie', 'client'].map((value) => ({
    value,
    label: texts.stickyChoices[value as keyof typeof texts.stickyChoices],
  }));
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div class="columns">
        <Field label={texts.name} hint={texts.nameHint} value={name} name="name" autocomplete="off" />
        <Field label={texts.path} hint={texts.pathHint} value={path} name="path" autocomplete="off" />
      </div>
      <TextArea label={texts.origins} hint={texts.originsHint} value={lines} name="origins" rows={4} isCode />
      <div class="columns">
        <Field label={texts.health} hint={texts.healthHint} value={healthPath} name="health" autocomplete="off" />
        <SelectField label={texts.sticky} value={sticky} name="sticky" choices={choices} />
      </div>
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.submit}
        </button>
      </div>
    </form>
  );
}
