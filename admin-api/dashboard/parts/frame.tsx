/** The frame around the pages of a signed-in user. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Announcement } from '../../ui/parts/announce.tsx';
import { Icon } from '../../ui/parts/icon.tsx';
import { Mark } from '../../ui/parts/mark.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import { acted, stopActing } from '../acting.ts';
import { addressOf, PAGES, type PageMatch, type PageName, REFERENCE } from '../addresses.ts';
import { currentPage, currentPath } from '../router.ts';
import type { User } from '../session.ts';
import { TEXTS } from '../texts.ts';
import type { OpenedDialog } from './command-dialog.tsx';
import { useLazyDialog } from './lazy-dialog.tsx';
import { Navigation } from './navigation.tsx';
import { OfflineNote } from './offline-note.tsx';
import { commandKey, shortcuts, useShortcut } from './shortcuts.ts';
import { ThemeSwitch } from './theme-switch.tsx';

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
  readonly match: PageMatch | null;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

const loadSwitcher = async () => (await import('./account-switcher.tsx')).AccountSwitcher;

export function Frame({ user, match, onSignOut, children }: FrameProps) {
  const path = currentPath.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const isMenuOpen = useSignal(false);
  const switcher = useLazyDialog(loadSwitcher);
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
          <Mark />
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
          <Icon name="menu" />
          {TEXTS.menu}
        </button>
        <PaletteButton user={user} match={match} onSignOut={onSignOut} />
        <div id="menu" class={isMenuOpen.value ? 'menu menu-open' : 'menu'}>
          {user.role === 'admin' && (
            <AccountButton user={user} isOpening={switcher.isOpening.value} onOpen={switcher.open} />
          )}
          <Navigation user={user} match={match} />
          <div class="bar-user">
            <a
              href={addressOf('ownAccount')}
              title={TEXTS.signedInAs(user.username)}
              aria-current={path === PAGES.ownAccount ? 'page' : undefined}
            >
              <Icon name="user" />
              <span>{user.username}</span>
            </a>
            <a class="bar-reference" href={REFERENCE}>
              {TEXTS.reference}
            </a>
            <button type="button" class="button button-quiet" onClick={onSignOut}>
              <Icon name="signOut" />
              {TEXTS.signOut}
            </button>
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main ref={main} id="content" class="content" tabIndex={-1}>
        <ActingBanner />
        <OfflineNote />
        {children}
      </main>
      {/* Not in the menu, which is hidden on a phone. */}
      {switcher.Shown !== null && <switcher.Shown key={switcher.opening} user={user} {...switcher.opened} />}
      <Announcement />
      <Help />
    </div>
  );
}

type PaletteProps = Parameters<typeof import('./palette.tsx').Palette>[0];

/** Opens the command palette. */
function PaletteButton(props: Omit<PaletteProps, keyof OpenedDialog>) {
  const load = async () => (await import('./palette.tsx')).Palette;
  const { isOpening, open, Shown, opening, opened } = useLazyDialog<PaletteProps>(load);
  useShortcut('k', TEXTS.palette.shortcut, open, { isCommand: true });
  return (
    <>
      <button
        type="button"
        class="button palette-button"
        aria-haspopup="dialog"
        aria-disabled={isOpening.value}
        onClick={open}
      >
        <Icon name="search" />
        <span>{TEXTS.palette.open}</span>
        <kbd>{commandKey('k')}</kbd>
      </button>
      {Shown !== null && <Shown key={opening} {...props} {...opened} />}
    </>
  );
}

interface AccountButtonProps {
  readonly user: User;
  readonly isOpening: boolean;
  readonly onOpen: () => void;
}

/** Shows the account whose objects are shown, and opens the switcher. For administrators. */
function AccountButton({ user, isOpening, onOpen }: AccountButtonProps) {
  const name = acted.value === null ? user.username : (acted.value.username ?? '…');
  return (
    <button
      type="button"
      class="button account-button"
      aria-haspopup="dialog"
      aria-disabled={isOpening}
      aria-label={TEXTS.acting.switch(name)}
      onClick={onOpen}
    >
      <Icon name="accounts" />
      <span>{name}</span>
      <Icon name="down" />
    </button>
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
