/** The reference of the API: navigation with a search, and the page of the chosen operation. */
import { signal, useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../ui/parts/icon.tsx';
import { chooseTheme, followTheme, THEMES, type Theme, theme } from '../ui/theme.ts';
import { loadReference, type Operation, type Reference, searchGroups } from './document.ts';
import { Home, titleOf } from './home.tsx';
import { Method, OperationPage } from './operation-page.tsx';
import { TEXTS } from './texts.ts';

/** The operation in the address; empty: the first page. */
const chosen = signal(readHash());
const reference = signal<Reference | null>(null);
const isFailed = signal(false);
const query = signal('');

function readHash(): string {
  return decodeURIComponent(location.hash.slice(1));
}

async function load(): Promise<void> {
  isFailed.value = false;
  try {
    reference.value = await loadReference();
  } catch {
    isFailed.value = true;
  }
}

function App() {
  const isMenuOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const loaded = reference.value;
  const operation = loaded?.operation(chosen.value);
  useEffect(() => {
    const change = (): void => {
      chosen.value = readHash();
      isMenuOpen.value = false;
      window.scrollTo(0, 0);
      // The title is read, and keys go on from it.
      requestAnimationFrame(() => main.current?.querySelector('h1')?.focus({ preventScroll: true }));
    };
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  useEffect(() => {
    document.title = operation === undefined ? TEXTS.title : `${operation.summary} · ${TEXTS.title}`;
  }, [operation]);
  return (
    <>
      <button type="button" class="button skip" onClick={() => main.current?.focus()}>
        {TEXTS.skip}
      </button>
      <header class="top">
        <button
          type="button"
          class="button button-quiet menu-button"
          aria-expanded={isMenuOpen.value}
          aria-controls="operations"
          onClick={() => {
            isMenuOpen.value = !isMenuOpen.value;
          }}
        >
          <Icon name={isMenuOpen.value ? 'close' : 'menu'} />
          {isMenuOpen.value ? TEXTS.close : TEXTS.menu}
        </button>
        <a class="brand" href="#home">
          Waypost <span>{TEXTS.heading}</span>
        </a>
        {loaded !== null && <span class="badge version">{loaded.version}</span>}
        <nav class="top-links" aria-label={TEXTS.heading}>
          <a href="/api/v1/openapi.json">{TEXTS.document}</a>
          <a href="/">{TEXTS.dashboard}</a>
          <ThemeChoice />
        </nav>
      </header>
      <div class="frame">
        <Navigation isOpen={isMenuOpen.value} operation={operation} />
        <main id="content" ref={main} tabIndex={-1}>
          {loaded === null ? (
            <Loading />
          ) : operation === undefined ? (
            <Home reference={loaded} />
          ) : (
            <OperationPage key={operation.operationId} reference={loaded} operation={operation} />
          )}
        </main>
      </div>
    </>
  );
}

function Loading() {
  if (isFailed.value)
    return (
      <div class="note note-bad" role="alert">
        {TEXTS.failed}
        <button type="button" class="button" onClick={load}>
          {TEXTS.retry}
        </button>
      </div>
    );
  return (
    <div class="stack skeleton" role="status" aria-label={TEXTS.loading}>
      <span />
      <span />
      <span />
    </div>
  );
}

function ThemeChoice() {
  return (
    <select
      aria-label={TEXTS.theme}
      value={theme.value}
      onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
    >
      {THEMES.map((name) => (
        <option key={name} value={name}>
          {TEXTS.themes[name]}
        </option>
      ))}
    </select>
  );
}

function Navigation({ isOpen, operation }: { readonly isOpen: boolean; readonly operation: Operation | undefined }) {
  const list = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusSearch = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    window.addEventListener('keydown', focusSearch);
    return () => window.removeEventListener('keydown', focusSearch);
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [operation, isOpen]);
  const groups = searchGroups(reference.value?.groups ?? [], query.value);
  const isSearching = query.value.trim() !== '';
  /** Arrows move through the links, from the field too. */
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const links = [...(list.current?.querySelectorAll<HTMLElement>('details[open] a') ?? [])];
    const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
    event.preventDefault();
    if (next === undefined && step < 0) search.current?.focus();
    else next?.focus();
  };
  return (
    <nav class={isOpen ? 'side side-open' : 'side'} id="operations" aria-label={TEXTS.menu} ref={list} onKeyDown={move}>
      <input
        type="search"
        ref={search}
        aria-label={TEXTS.search}
        placeholder={`${TEXTS.search}  /`}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
        spellcheck={false}
        autocomplete="off"
      />
      {groups.map(({ name, operations }) => (
        <details key={`${name} ${isSearching}`} open={isSearching || (operation?.tags.includes(name) ?? false)}>
          <summary>{titleOf(name)}</summary>
          <ul>
            {operations.map(({ operationId, method, summary }) => (
              <li key={operationId}>
                <a href={`#${operationId}`} aria-current={operationId === operation?.operationId ? 'page' : undefined}>
                  <span>{summary}</span>
                  <Method method={method} />
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {isSearching && groups.length === 0 && <p class="hint">{TEXTS.noMatch}</p>}
    </nav>
  );
}

followTheme();
void load();
render(<App />, document.getElementById('app')!);
