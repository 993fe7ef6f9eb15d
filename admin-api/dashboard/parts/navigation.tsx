/** The navigation: on the pages of a domain that of the domain, elsewhere that of the account. */
import { Icon } from '../../ui/parts/icon.tsx';
import { addressOf, PAGES, type PageMatch } from '../addresses.ts';
import { domainGroups, groupsFor, isDomainPage } from '../navigation.ts';
import { currentPath } from '../router.ts';
import type { User } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface NavigationProps {
  readonly user: User;
  readonly match: PageMatch | null;
}

export function Navigation({ user, match }: NavigationProps) {
  if (match !== null && isDomainPage(match.page)) return <DomainNavigation match={match} />;
  return (
    <nav aria-label={TEXTS.navigation.label}>
      {groupsFor(user).map(({ title, entries }) => (
        <NavigationGroup key={title} title={title}>
          {entries.map(({ page, icon }) => (
            <a key={page} href={addressOf(page)} aria-current={isIn(PAGES[page]) ? 'page' : undefined}>
              <Icon name={icon} />
              {TEXTS.navigation[page]}
            </a>
          ))}
        </NavigationGroup>
      ))}
    </nav>
  );
}

function DomainNavigation({ match }: { readonly match: PageMatch }) {
  return (
    <>
      <a class="menu-back" href={addressOf('domains')}>
        <Icon name="back" />
        {TEXTS.tabs.all}
      </a>
      <nav aria-label={TEXTS.tabs.label}>
        {domainGroups.map(({ title, entries }) => (
          <NavigationGroup key={title} title={title}>
            {entries.map(({ page, icon }) => (
              <a
                key={page}
                href={addressOf(page, match.params)}
                aria-current={page === match.page ? 'page' : undefined}
              >
                <Icon name={icon} />
                {TEXTS.tabs[page]}
              </a>
            ))}
          </NavigationGroup>
        ))}
      </nav>
    </>
  );
}

interface NavigationGroupProps {
  readonly title: string;
  readonly children: readonly preact.JSX.Element[];
}

function NavigationGroup({ title, children }: NavigationGroupProps) {
  return (
    <>
      <p class="menu-title">{title}</p>
      <ul>
        {children.map((link) => (
          <li key={link.key}>{link}</li>
        ))}
      </ul>
    </>
  );
}

/** Whether the current page is this or below it. */
const isIn = (section: string): boolean => currentPath.value === section || currentPath.value.startsWith(`${section}/`);
