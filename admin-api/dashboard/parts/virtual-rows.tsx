/** Renders only the rows of a long table that are near the visible area. */
import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Height of a row in pixels in wide windows. Must equal --row in the style sheet. */
export const ROW = 40;

/** Extra rows above and below the window, so that slow scrolling shows no gap. */
const MARGIN = 12;
const INITIAL_ROWS = 40;

interface VirtualRowsProps {
  readonly count: number;
  /** Height of each row in pixels. Must equal that in the style sheet. */
  readonly rowHeight: number;
  readonly columns: number;
  readonly renderRow: (index: number) => ComponentChild;
  /** Called when the user scrolls near the last row. */
  readonly onEnd?: () => void;
}

export function VirtualRows({ count, rowHeight, columns, renderRow, onEnd }: VirtualRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ first: 0, last: INITIAL_ROWS });
  const first = Math.min(range.first, Math.max(0, count - 1));
  const last = Math.min(range.last, count);

  useLayoutEffect(() => {
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      if (body.current === null) return;
      const top = -body.current.getBoundingClientRect().top;
      const start = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
      const end = Math.ceil((top + window.innerHeight) / rowHeight) + MARGIN;
      setRange((current) => (current.first === start && current.last === end ? current : { first: start, last: end }));
      if (end >= count) onEnd?.();
    };
    const schedule = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    addEventListener('scroll', schedule, { passive: true });
    addEventListener('resize', schedule);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', schedule);
      removeEventListener('resize', schedule);
    };
  }, [count, rowHeight, onEnd]);

  const rows: ComponentChild[] = [];
  for (let index = first; index < last; index++) rows.push(renderRow(index));
  return (
    <tbody ref={body}>
      <Spacer key="above" height={first * rowHeight} columns={columns} />
      {rows}
      <Spacer key="below" height={Math.max(0, count - last) * rowHeight} columns={columns} />
    </tbody>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
