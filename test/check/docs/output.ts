/** Compares what a command printed with what a page shows of it. */

/**
 * Null when it is what the page shows: "…" within a line stands for any text, and as a line for any
 * number of lines.
 */
export function outputFault(shown: readonly string[], printed: string): string | null {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  const wanted = shown.map((line) => line.trimEnd());
  while (wanted.at(-1) === '') wanted.pop();
  if (wanted.length === 0 || matches(wanted, lines)) return null;
  return `the page shows\n${wanted.join('\n')}\nbut this was printed\n${lines.join('\n')}`;
}

function matches(wanted: readonly string[], lines: readonly string[]): boolean {
  if (wanted.length === 0) return lines.length === 0;
  const [first, ...rest] = wanted;
  if (first === '…') return lines.some((_, i) => matches(rest, lines.slice(i))) || matches(rest, []);
  return lines.length > 0 && isLike(first, lines[0]) && matches(rest, lines.slice(1));
}

function isLike(wanted: string, line: string): boolean {
  const pattern = wanted
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(line);
}
