/** The line of a finding, with the text at its position marked. */
import { type Excerpted, splitExcerpt } from '../excerpt.ts';

export function Excerpt({ finding }: { readonly finding: Excerpted }) {
  const parts = splitExcerpt(finding);
  if (parts === null) return null;
  return (
    <pre class="excerpt">
      <code>
        {parts.before}
        <mark>{parts.marked}</mark>
        {parts.after}
      </code>
    </pre>
  );
}
