/** The pools with the state of each origin. */

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import type { OriginState, OriginsEntryBody, OriginsEntryHealth } from '../api/views.ts';
import { ConfirmAction } from '../parts/confirm.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { formatOrigin } from './origin-lines.ts';
import type { OriginsPage } from './origins-page.ts';
import { PoolForm } from './pool-form.tsx';

interface PoolListProps {
  readonly page: OriginsPage;
  /** The pools of the latest version. */
  readonly origins: readonly OriginsEntryBody[];
}

export function PoolList({ page, origins }: PoolListProps) {
  const texts = TEXTS.origins;
  const entries = page.health.value;
  if (entries === null) return null;
  if (entries.length === 0)
    return (
      <section class="card">
        <h2>{texts.heading}</h2>
        <p>{texts.empty}</p>
        <p class="hint">{texts.emptyHint}</p>
      </section>
    );
  return (
    <>
      {entries.map((entry) => (
        <Pool key={titleOf(entry)} page={page} origins={origins} entry={entry} />
      ))}
    </>
  );
}

/** `www /api`, or the label of an entry for rules. */
const titleOf = ({ name, path, label }: Pick<OriginsEntryBody, 'name' | 'path' | 'label'>): string =>
  name == null ? TEXTS.origins.labelled(label ?? '') : `${name} ${path ?? '/'}`;

interface PoolProps extends PoolListProps {
  readonly entry: OriginsEntryHealth;
}

function Pool({ page, origins, entry }: PoolProps) {
  const texts = TEXTS.origins;
  const title = titleOf(entry);
  const edit = useRef<HTMLButtonElement>(null);
  const isEditing = useSignal(false);
  // An entry for rules has no name, which the form needs.
  const stored = entry.name == null ? null : (origins.find((other) => titleOf(other) === title) ?? null);
  // Matched by title, because the health may be older than the latest version.
  const remove = async () => {
    const failure = await page.change({ origins: origins.filter((other) => titleOf(other) !== title) });
    if (failure === null) announce(texts.deleted(title));
    return failure;
  };
  return (
    <section class="card">
      <h2>{title}</h2>
      {entry.is_down && <p class="note note-bad">{texts.allDown}</p>}
      <ul class="exposed">
        {entry.origins.map((origin) => (
          <OriginItem key={formatOrigin(origin)} origin={origin} />
        ))}
      </ul>
      {isEditing.value && stored !== null && (
        <PoolForm
          page={page}
          origins={origins}
          stored={stored}
          onDone={() => {
            edit.current?.focus();
            isEditing.value = false;
          }}
        />
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
        {stored !== null && (
          <button
            ref={edit}
            type="button"
            class="button"
            aria-label={texts.editOf(title)}
            aria-expanded={isEditing.value}
            onClick={() => {
              isEditing.value = !isEditing.value;
            }}
          >
            {texts.edit}
          </button>
        )}
      </ConfirmAction>
    </section>
  );
}

const TONES: Readonly<Record<OriginState['state'], string>> = {
  up: 'badge badge-good',
  down: 'badge badge-bad',
  partly: 'badge badge-warning',
  unknown: 'badge badge-quiet',
  unchecked: 'badge badge-quiet',
};

function OriginItem({ origin }: { readonly origin: OriginState }) {
  const texts = TEXTS.origins;
  const { state, since, reason, ejected_until: ejectedUntil } = origin;
  return (
    <li>
      <p>
        <span class={TONES[state]}>{texts.states[state]}</span> <code>{formatOrigin(origin)}</code>{' '}
        <span class="hint">{texts.weight(origin.weight)}</span>
      </p>
      {since !== null && (
        <p class="hint">
          {texts.since} <Time value={since} />
          {reason !== null && `: ${reason}`}
        </p>
      )}
      {ejectedUntil !== null && (
        <p class="hint">
          {texts.ejected} <Time value={ejectedUntil} />
        </p>
      )}
    </li>
  );
}
