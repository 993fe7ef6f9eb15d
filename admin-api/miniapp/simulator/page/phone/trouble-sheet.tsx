/** The app was stopped, or does not respond. */
import { useId } from 'preact/hooks';
import type { Trouble } from '../choices.ts';
import { useCommand } from '../parts/use-command.ts';
import { command } from '../server.ts';
import { TEXTS } from '../texts.ts';
import { trouble as current } from '../watch-app.ts';

export function TroubleSheet({ trouble }: { readonly trouble: Trouble }) {
  const texts = TEXTS.trouble;
  const title = useId();
  const { run, failure } = useCommand();
  return (
    <div class="cover">
      <div class="sheet" role="alertdialog" aria-labelledby={title}>
        <h2 id={title}>{texts.titles[trouble]}</h2>
        <p>{texts.about[trouble]}</p>
        {failure.value !== '' && <p class="fault">{failure.value}</p>}
        <div class="sheet-actions">
          <button type="button" class="button button-main" onClick={() => void run(() => command('reload', {}))}>
            {texts.reload}
          </button>
          {trouble === 'hangs' && (
            <button
              type="button"
              class="button"
              onClick={() => {
                current.value = 'stopped';
              }}
            >
              {texts.stop}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
