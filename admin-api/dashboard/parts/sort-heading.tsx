/** The heading of a column by which a table can be sorted. The order is a query parameter. */
import { replaceQuery } from '../router.ts';
import { TEXTS } from '../texts.ts';

interface SortHeadingProps {
  readonly label: string;
  /** Class of the cells of the column. */
  readonly name: string;
  /** The direction in which the table is sorted by this column. Null: by another one. */
  readonly direction: 'ascending' | 'descending' | null;
  /** Value of the parameter `sort` after a click. Empty: the default order. */
  readonly next: string;
}

export function SortHeading({ label, name, direction, next }: SortHeadingProps) {
  return (
    <th scope="col" class={name} aria-sort={direction ?? undefined}>
      <button type="button" class="sort" onClick={() => replaceQuery({ sort: next })}>
        {label}
        <span aria-hidden="true">{direction === null ? '' : TEXTS.lists.arrows[direction]}</span>
      </button>
    </th>
  );
}
