/** The frame around the pages of a signed-in user. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Announcement } from '../../ui/parts/announce.tsx';
import { addressOf, PAGES } from '../addresses.ts';
import { entriesFor, isInSection } from '../navigation.ts';
import { currentPath } from '../router.ts';
import type { User } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { ActingBanner } from './acting-banner.tsx';
import { Help } from './help.tsx';

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
