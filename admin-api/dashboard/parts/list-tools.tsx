/** The tools above a list: search, order, and number of rows. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Choice } from '../../ui/parts/select-field.tsx';
import { addressOf, type PageName } from '../addresses.ts';
import { currentQuery, replaceQuery } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { isNarrow } from './screen-size.ts';
import { useShortcut } from './shortcuts.ts';

interface ListToolsProps {
  readonly label: string;
  readonly hint?: string;
  /** Values of the API parameter `sort`. The first is the default. */
  readonly sorts?: readonly Choice[];
  /** Null: not known yet. */
  readonly count: string | null;
  readonly children?: ComponentChildren;
}

/** A finger points where there is no keyboard. */
const hasKeyboard = matchMedia('(pointer: fine)').matches;
/** How to search, in the words of what is searched, if the list says more than its name. */
const hintWith = (searched: string | undefined): string => {
  if (hasKeyboard && !isNarrow.value) return searched === undefined ? TEXTS.lists.hint : TEXTS.lists.hintWith(searched);
  return searched ?? TEXTS.help.search;
};

/** The search text and the order are query parameters. */
export function ListTools({ label, hint, sorts, count, children }: ListToolsProps) {
  const search = useRef<HTMLInputElement>(null);
  useShortcut('/', TEXTS.help.search, () => search.current?.focus());
  const query = currentQuery.value;
  return (
    <div class="tools">
      <input
        ref={search}
        type="search"
        aria-label={label}
        placeholder={hintWith(hint)}
        value={query.get('q') ?? ''}
        onInput={(event) => replaceQuery({ q: event.currentTarget.value })}
      />
      {sorts !== undefined && (
        <select
          aria-label={TEXTS.lists.sort}
          value={query.get('sort') ?? sorts[0].value}
          onChange={({ currentTarget: { value } }) => replaceQuery({ sort: value === sorts[0].value ? '' : value })}
        >
          {sorts.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
      {children}
      <p class="hint" role="status">
        {count}
      </p>
    </div>
  );
}

/** Reads the parameters of a list from the address. */
export function readListQuery(sorts: readonly Choice[]): { readonly q: string; readonly sort: string } {
  const query = currentQuery.value;
  const sort = query.get('sort') ?? '';
  return { q: query.get('q') ?? '', sort: sorts.some(({ value }) => value === sort) ? sort : sorts[0].value };
}

interface EmptyListProps {
  readonly searched: string;
  readonly noMatch: (text: string) => string;
  readonly clear: string;
  /** Shown if the list is empty without a search. */
  readonly children: ComponentChildren;
}

/** Shown for an empty list, with or without a search. */
export function EmptyList({ searched, noMatch, clear, children }: EmptyListProps) {
  if (searched === '') return <section class="empty">{children}</section>;
  return (
    <section class="empty">
      <h2>{noMatch(searched)}</h2>
      <button type="button" class="button" onClick={() => replaceQuery({ q: '' })}>
        {clear}
      </button>
    </section>
  );
}

interface AddLinkProps {
  readonly page: PageName;
  readonly label: string;
}

/** A link to the page that adds to the list. Hidden for viewers. */
export function AddLink({ page, label }: AddLinkProps) {
  if (isReader.value) return null;
  return (
    <a class="button button-main" href={addressOf(page)}>
      {label}
    </a>
  );
}
