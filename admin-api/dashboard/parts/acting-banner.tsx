/** Marks every page while an administrator acts for another account. */
import { acted, stopActing } from '../acting.ts';
import type { PageName } from '../addresses.ts';
import { currentPage } from '../router.ts';
import { TEXTS } from '../texts.ts';

/** Pages that do not depend on the account that an administrator acts for. */
const OTHER_PAGES: ReadonlySet<PageName> = new Set<PageName>([
  'ownAccount',
  'reviews',
  'review',
  'accounts',
  'addAccount',
  'account',
  'nodes',
]);

export function ActingBanner() {
  const texts = TEXTS.acting;
  if (acted.value === null) return null;
  const { id, username, failure } = acted.value;
  const page = currentPage.value?.page;
  const isOther = page !== undefined && OTHER_PAGES.has(page);
  const name = username ?? '';
  const text = `${texts.who(name, id)} ${isOther ? texts.otherPage : texts.page}`;
  return (
    <section class="acting" aria-label={texts.label}>
      <p role="status">{failure === null ? text : `${texts.who(name, id)} ${failure.message}`}</p>
      <button type="button" class="button" onClick={stopActing}>
        {texts.stop}
      </button>
    </section>
  );
}
