/** The system asks the user for a permission. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { visible } from '../../../../ui/excerpt.ts';
import type { PromptAnswer, PromptView } from '../../protocol.ts';
import { useCommand } from '../parts/use-command.ts';
import { command } from '../server.ts';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

export function PromptSheet({ prompt: { id, permission } }: { readonly prompt: PromptView }) {
  const texts = TEXTS.prompt;
  const title = useId();
  const first = useRef<HTMLButtonElement>(null);
  const { run, failure } = useCommand();
  useEffect(() => {
    const before = document.activeElement;
    first.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const answer = (given: PromptAnswer) => () => void run(() => command('answer', { prompt: id, answer: given }));
  const name = visible(topics.package.value?.app?.name ?? '');
  return (
    <div class="cover">
      <div class="sheet" role="alertdialog" aria-labelledby={title}>
        <h2 id={title}>{texts.title(name, texts.uses[permission] ?? permission)}</h2>
        <code>{permission}</code>
        {failure.value !== '' && <p class="fault">{failure.value}</p>}
        <div class="sheet-actions">
          <button ref={first} type="button" class="button button-main" onClick={answer('granted')}>
            {texts.grant}
          </button>
          <button type="button" class="button" onClick={answer('denied')}>
            {texts.deny}
          </button>
          <button type="button" class="button" onClick={answer('denied_forever')}>
            {texts.never}
          </button>
        </div>
      </div>
    </div>
  );
}
