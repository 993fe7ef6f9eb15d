/** Marks every page while an administrator acts for another account. */
import { acted, stopActing } from '../acting.ts';
import { TEXTS } from '../texts.ts';

export function ActingBanner() {
  const texts = TEXTS.acting;
  if (acted.value === null) return null;
  const { id, username, failure } = acted.value;
  const text = username === null ? texts.reading(id) : texts.text(username, id);
  return (
    <section class="acting" aria-label={texts.label}>
      <p role="status">{failure === null ? text : `${text} ${failure.message}`}</p>
      <button type="button" class="button" onClick={stopActing}>
        {texts.stop}
      </button>
    </section>
  );
}
