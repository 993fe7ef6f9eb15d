/** Placeholder for a table that is being loaded. */
import { TEXTS } from '../texts.ts';

const ROWS = [1, 2, 3, 4, 5, 6];

export function Skeleton() {
  return (
    <div class="skeleton">
      <p class="hidden" role="status">
        {TEXTS.loading}
      </p>
      {ROWS.map((row) => (
        <div key={row} class="skeleton-row" />
      ))}
    </div>
  );
}
