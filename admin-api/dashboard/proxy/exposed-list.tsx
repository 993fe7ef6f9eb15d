/** Records that reveal the origin, each with the change that hides it. */
import { useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { addressOf } from '../addresses.ts';
import type { ExposedRecord } from '../api/views.ts';
import { toBothForms } from '../names.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';
import { fixExposed } from './fix-exposed.ts';
import type { ProxyPage } from './proxy-page.ts';

export function ExposedList({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy.exposed;
  const { exposed, is_enabled: isEnabled } = page.proxy.value!;
  const heading = useRef<HTMLHeadingElement>(null);
  const { isRunning, failure, run } = useAction();
  const fix = async (record: ExposedRecord): Promise<void> => {
    if (!(await run(() => fixExposed(page, record)))) return;
    announce(texts.fixed(record.name, record.type));
    // The focused button no longer exists.
    heading.current?.focus();
  };
  return (
    <section class="card">
      <h2 ref={heading} tabIndex={-1}>
        {texts.heading}
      </h2>
      <p>{exposed.length === 0 ? texts.none : isEnabled === 1 ? texts.explanation : texts.explanationOff}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {exposed.length > 0 && (
        <ul class="exposed">
          {exposed.map((record) => (
            <li key={record.record_id}>
              <p>
                <strong>{toBothForms(record.name)}</strong> {record.type} <code>{record.content}</code>
              </p>
              <p class="hint">{record.why}</p>
              <div class="actions">
                {record.fix !== null && (
                  <button
                    type="button"
                    class="button"
                    aria-disabled={isRunning.value}
                    aria-label={texts.fixOf(texts.fixes[record.fix], record.name, record.type)}
                    onClick={() => fix(record)}
                  >
                    {texts.fixes[record.fix]}
                  </button>
                )}
                <a
                  class="button"
                  href={addressOf('records', { domain_id: page.domainId }, { q: record.name })}
                  aria-label={texts.fixOf(texts.edit, record.name, record.type)}
                >
                  {texts.edit}
                </a>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
