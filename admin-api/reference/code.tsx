/** Code to copy, below a head. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Icon } from '../ui/parts/icon.tsx';
import { TEXTS } from './texts.ts';

const SHOWN_MS = 2000;

interface CodeProps {
  /** Is read, and says what the code is. */
  readonly label: string;
  readonly head: ComponentChildren;
  readonly text: string;
  /** The id of the tab in the head that shows this text. */
  readonly tab?: string;
}

/** Of the text that belongs to a tab. */
export const PANEL = 'panel';

export function Code({ label, head, text, tab }: CodeProps) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SHOWN_MS);
  };
  return (
    <div class="code">
      <div class="code-head">
        {head}
        <button type="button" class="button button-quiet" aria-label={`${TEXTS.copy}: ${label}`} onClick={copy}>
          <Icon name={isCopied.value ? 'check' : 'copy'} />
          <span aria-live="polite">{isCopied.value ? TEXTS.copied : TEXTS.copy}</span>
        </button>
      </div>
      {tab === undefined ? (
        <Scrolled label={label} text={text} />
      ) : (
        <div id={PANEL} role="tabpanel" aria-labelledby={tab}>
          <Scrolled label={label} text={text} />
        </div>
      )}
    </div>
  );
}

/** Text in a box of limited height. */
export function Scrolled({ label, text }: Pick<CodeProps, 'label' | 'text'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <section class="scrolled" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
