/** Maps the address bar to a page, and opens links within the dashboard without a reload. */
import { computed, signal } from '@preact/signals';
import { addressOf, keepAccount, matchPage, PAGES, type PageName } from './addresses.ts';

/** Query parameter with the account that an administrator acts for. */
export const ACCOUNT = 'account';

const location = signal(readLocation());

export const currentPath = computed(() => location.value.path);
/** The page of the current address. Null: none. */
export const currentPage = computed(() => matchPage(location.value.path));
/** The query parameters. */
export const currentQuery = computed(() => new URLSearchParams(location.value.query));

/** Handles clicks on links, and the back and forward buttons. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    location.value = readLocation();
  });
  document.addEventListener('click', (event) => {
    const address = linkedPage(event);
    if (address === null) return;
    event.preventDefault();
    openAddress(address);
  });
}

export const openPage = (page: PageName, params?: Readonly<Record<string, string | number>>): void =>
  openAddress(addressOf(page, params));

/** Opens an address of the dashboard. `replace`: adds no history entry. */
export function openAddress(address: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  location.value = readLocation();
  if (!replace) scrollTo(0, 0);
}

/** The account in the query parameters. Null: none, or not an id. */
export function readAccount(query: URLSearchParams): number | null {
  const text = query.get(ACCOUNT) ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Changes query parameters of the current address, so the address can be shared. */
export function replaceQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  openAddress(location.value.path + (text === '' ? '' : `?${text}`), { replace: true });
}

/**
 * The address to open after signing in. The parameter is untrusted, so only addresses of dashboard
 * pages are accepted.
 */
export function returnAddress(): string {
  const address = new URLSearchParams(location.value.query).get('return') ?? '';
  const path = address.split('?')[0];
  const page = matchPage(path)?.page;
  return page === undefined || page === 'signIn' ? addressOf('overview') : address;
}

/** Opens the sign-in page, which returns to the current address. */
export function openSignIn(): void {
  const { path, query } = location.value;
  if (path === PAGES.signIn) return;
  const address = path + (query === '' ? '' : `?${query}`);
  const isHome = address === '/' || address === PAGES.overview;
  openAddress(addressOf('signIn', {}, isHome ? {} : { return: address }), { replace: true });
}

function readLocation(): { readonly path: string; readonly query: string } {
  const { pathname, search } = window.location;
  keepAccount(readAccount(new URLSearchParams(search)));
  return { path: pathname, query: search.slice(1) };
}

/** The address of a clicked link. Null: the browser must handle the click. */
function linkedPage(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null;
  const { origin, pathname, search, hash } = new URL(link.href);
  // The browser handles links within the page, which move the focus.
  if (hash !== '') return null;
  return origin === window.location.origin && matchPage(pathname) !== null ? pathname + search : null;
}
