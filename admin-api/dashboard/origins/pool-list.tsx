/** The pools with the state of each origin. */
import { useSignal } from '@preact/signals';
import { announce } from '../../../core/browser/parts/announce.tsx';
import type { OriginState, OriginsEntryHealth } from '../api/views.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { formatOrigin } from './origin-lines.ts';
import type { OriginsPage } from './origins-page.ts';

export function PoolList({ page }: { readonly page: OriginsPage }) {
  const texts = TEXTS.origins;
  const entries = page.health.value;
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
      {entries.map((entry, i) => (
        <Pool key={titleOf(entry)} page={page} entry={entry} index={i} />
      ))}
    </>
  );
}

/** `www /api`, or the label of an entry for rules. */
const titleOf = ({ name, path, label }: OriginsEntryHealth): string =>
  name === null ? TEXTS.origins.labelled(label ?? '') : `${name} ${path}`;

interface PoolProps {
  readonly page: OriginsPage;
  readonly entry: OriginsEntryHealth;
  readonly index: number;
}

function Pool({ page, entry, index }: PoolProps) {
  const texts = TEXTS.origins;
  const isDeleting = useSignal(false);
  const title = titleOf(entry);
  const remove = async () => {
    const origins = page.document.value?.origins ?? [];
    const failure = await page.replace(origins.filter((_, i) => i !== index));
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
      <div class="actions">
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

const TONES: Readonly<Record<OriginState['state'], string>> = {
  ...{ up: 'badge badge-good', down: 'badge badge-bad', partly: 'badge badge-warning' },
  ...{ unknown: 'badge badge-quiet', unchecked: 'badge badge-quiet' },
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
