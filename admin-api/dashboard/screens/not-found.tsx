/** The page for unknown addresses. */
import { addressOf } from '../addresses.ts';
import { usePageTitle } from '../parts/title.ts';
import { TEXTS } from '../texts.ts';

export function NotFound() {
  usePageTitle(TEXTS.notFound.title);
  return (
    <section class="empty">
      <h1>{TEXTS.notFound.title}</h1>
      <p>{TEXTS.notFound.text}</p>
      <a class="button" href={addressOf('domains')}>
        {TEXTS.notFound.link}
      </a>
    </section>
  );
}
