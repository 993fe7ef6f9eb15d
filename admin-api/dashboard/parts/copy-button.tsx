/** A button that copies a text. */
import { useSignal } from '@preact/signals';
import { TEXTS } from '../texts.ts';

const SHOWN_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** For screen readers; omitted: the label. */
  readonly description?: string;
}

export function CopyButton({ text, label = TEXTS.copy, description }: CopyButtonProps) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SHOWN_MS);
  };
  return (
    <button type="button" class="button button-quiet" aria-label={description} onClick={copy}>
      <span aria-live="polite">{isCopied.value ? TEXTS.copied : label}</span>
    </button>
  );
}

/** Browsers have a clipboard only over HTTPS and on this machine. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
