/** The frame around the pages of a signed-in user. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Announcement } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import { acted, stopActing } from '../acting.ts';
import { addressOf, PAGES, type PageName } from '../addresses.ts';
import { entriesFor, isInSection } from '../navigation.ts';
import { currentPage, currentPath } from '../router.ts';
import type { User } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { shortcuts, useShortcut } from './shortcuts.ts';

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

interface FrameProps {
  readonly user: User;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

export function Frame({ user, onSignOut, children }: FrameProps) {
  const path = currentPath.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const isMenuOpen = useSignal(false);
  // After navigation, screen readers and the keyboard continue at the new page.
  useEffect(() => {
    if (!isFirst.current && main.current?.contains(document.activeElement) === false) main.current.focus();
    isFirst.current = false;
    isMenuOpen.value = false;
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {TEXTS.skipToContent}
      </a>
      <header class="bar">
        <a class="brand" href={addressOf('overview')}>
          {TEXTS.title}
        </a>
        <button
          type="button"
          class="button button-quiet menu-button"
          aria-expanded={isMenuOpen.value}
          aria-controls="menu"
          onClick={() => {
            isMenuOpen.value = !isMenuOpen.value;
          }}
        >
          {TEXTS.menu}
        </button>
        <div id="menu" class={isMenuOpen.value ? 'menu menu-open' : 'menu'}>
          <nav aria-label={TEXTS.navigation.label}>
            {entriesFor(user).map((entry) => (
              <a
                key={entry.page}
                href={addressOf(entry.page)}
                aria-current={isInSection(entry, path) ? 'page' : undefined}
              >
                {entry.label}
              </a>
            ))}
          </nav>
          <div class="bar-user">
            <a
              href={addressOf('ownAccount')}
              title={TEXTS.signedInAs(user.username)}
              aria-current={path === PAGES.ownAccount ? 'page' : undefined}
            >
              {user.username}
            </a>
            <button type="button" class="button button-quiet" onClick={onSignOut}>
              {TEXTS.signOut}
            </button>
          </div>
        </div>
      </header>
      <main ref={main} id="content" class="content" tabIndex={-1}>
        <ActingBanner />
        {children}
      </main>
      <Announcement />
      <Help />
    </div>
  );
}

/** Marks every page while an administrator acts for another account. */
function ActingBanner() {
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

/** The list of keyboard shortcuts. The key `?` opens it. */
function Help() {
  const texts = TEXTS.help;
  const isOpen = useSignal(false);
  useShortcut('?', texts.open, () => {
    isOpen.value = true;
  });
  const close = (): void => {
    isOpen.value = false;
  };
  if (!isOpen.value) return null;
  return (
    <Modal title={texts.title} onClose={close}>
      <dl class="shortcuts">
        {shortcuts.value.map(({ key, text }) => (
          <div key={`${key} ${text}`}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" class="button" onClick={close}>
          {TEXTS.close}
        </button>
      </div>
    </Modal>
  );
}
