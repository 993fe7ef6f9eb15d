/** Which page the address bar names. Links stay inside the dashboard without loading it again. */
import { computed, signal } from '@preact/signals';
import { addressOf, keepAccount, matchPage, PAGES, type PageName } from './addresses.ts';

/** The parameter with the account that an administrator acts for. */
export const ACCOUNT = 'account';

const location = signal(readLocation());

export const currentPath = computed(() => location.value.path);
/** The page of the current address; null: there is none. */
export const currentPage = computed(() => matchPage(location.value.path));
/** The parameters after the question mark. */
export const currentQuery = computed(() => new URLSearchParams(location.value.query));

/** Follows clicks on links, and the buttons back and forward. */
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

/** Opens an address of the dashboard. `replace`: without an entry in the history. */
export function openAddress(address: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  location.value = readLocation();
  if (!replace) scrollTo(0, 0);
}

/** The account in the parameters of an address, or null. */
export function readAccount(query: URLSearchParams): number | null {
  const text = query.get(ACCOUNT) ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Changes the parameters of the current address, so that it can be shared. */
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
 * The page to open after signing in. The parameter is text of anyone who made a link, so only the
 * address of a page of the dashboard is followed.
 */
export function returnAddress(): string {
  const wanted = new URLSearchParams(location.value.query).get('return') ?? '';
  const path = wanted.split('?')[0];
  const page = matchPage(path)?.page;
  return page === undefined || page === 'signIn' ? addressOf('overview') : wanted;
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

/** The address of the clicked link, if a plain click would open a page of the dashboard. */
function linkedPage(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null;
  const { origin, pathname, search, hash } = new URL(link.href);
  // A link within the page moves the focus there.
  if (hash !== '') return null;
  return origin === window.location.origin && matchPage(pathname) !== null ? pathname + search : null;
}
