/** The console of the app. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { visible } from '../../../../ui/excerpt.ts';
import { Clock } from '../parts/clock.tsx';
import { Empty, PanelBar, SmallButton } from '../parts/panel.tsx';
import { type ConsoleLine, consoleLines } from '../state.ts';
import { TEXTS } from '../texts.ts';

/** Pixels from the end of the list beyond which it no longer scrolls with new lines. */
const NEAR_END = 40;

export function ConsolePanel() {
  const texts = TEXTS.console;
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const lines = consoleLines.value;
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [lines]);
  if (lines.length === 0) return <Empty text={texts.empty} />;
  return (
    <>
      <PanelBar>
        <SmallButton
          label={texts.clear}
          onClick={() => {
            consoleLines.value = [];
          }}
        />
      </PanelBar>
      <ol
        class="log scrolls"
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        tabIndex={0}
        aria-label={TEXTS.panels.names.console}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
        }}
      >
        {lines.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ol>
    </>
  );
}

function Line({ line: { at, level, text } }: { readonly line: ConsoleLine }) {
  return (
    <li class={`log-line log-${level}`}>
      <Clock at={at} />
      <span class="log-level">{level === 'host' ? TEXTS.console.host : level}</span>
      <code class="written">{lines(text)}</code>
    </li>
  );
}

/** Line breaks are kept; other control characters are shown as escapes. */
const lines = (text: string): string => text.split('\n').map(visible).join('\n');
