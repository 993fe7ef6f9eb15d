/** Whether the window is narrow. Uses the breakpoint of the style sheet. */
import { signal } from '@preact/signals';

const query = window.matchMedia('(max-width: 40rem)');

export const isNarrow = signal(query.matches);

query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
