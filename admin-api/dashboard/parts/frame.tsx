/** What surrounds the page of a signed-in user. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import { currentPage } from '../router.ts';
import type { User } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface FrameProps {
  readonly user: User;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

export function Frame({ user, onSignOut, children }: FrameProps) {
  const page = currentPage.value?.page;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // After a link, screen readers and the keyboard go on with the new page.
  useEffect(() => {
    if (!isFirst.current && main.current?.contains(document.activeElement) === false) main.current.focus();
    isFirst.current = false;
  }, [page]);
  return (
    <>
      <a class="skip" href="#content">
        {TEXTS.skipToContent}
      </a>
      <header class="bar">
        <a class="brand" href={addressOf('domains')}>
          {TEXTS.title}
        </a>
        <nav aria-label={TEXTS.navigation.label}>
          <a href={addressOf('domains')} aria-current={page === undefined ? undefined : 'page'}>
            {TEXTS.navigation.domains}
          </a>
        </nav>
        <span class="bar-user" title={TEXTS.signedInAs(user.username)}>
          {user.username}
        </span>
        <button type="button" class="button button-quiet" onClick={onSignOut}>
          {TEXTS.signOut}
        </button>
      </header>
      <main ref={main} id="content" class="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}
