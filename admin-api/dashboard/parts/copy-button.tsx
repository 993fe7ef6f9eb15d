/** A button that copies a text. */
import { useSignal } from '@preact/signals';
import type { IconName } from '../../ui/icons.ts';
import { Icon } from '../../ui/parts/icon.tsx';
import { TEXTS } from '../texts.ts';

const SHOWN_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** Name for screen readers. Omitted: the label. */
  readonly description?: string;
  /** Shown instead of the label. */
  readonly icon?: IconName;
}

export function CopyButton({ text, label = TEXTS.copy, description, icon }: CopyButtonProps) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SHOWN_MS);
  };
  // The accessible name must contain the visible text (WCAG 2.5.3).
  const name = description !== undefined && isCopied.value ? `${TEXTS.copied}: ${description}` : description;
  return (
    <button
      type="button"
      class={`button button-quiet ${icon === undefined ? '' : 'button-icon'}`}
      aria-label={name}
      title={icon === undefined ? undefined : description}
      onClick={copy}
    >
      {icon !== undefined && <Icon name={isCopied.value ? 'check' : icon} />}
      <span class={icon === undefined ? '' : 'hidden'} aria-live="polite">
        {isCopied.value ? TEXTS.copied : label}
      </span>
    </button>
  );
}

/** Copies with a text area where there is no clipboard API: without HTTPS, except on localhost. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
