/** Keyboard shortcuts of a page. Ignored while the user is typing. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface Shortcut {
  readonly key: string;
  /** Description for the help. */
  readonly text: string;
}

/** The shortcuts of the current page, for the help. */
export const shortcuts = signal<readonly Shortcut[]>([]);

export function useShortcut(key: string, text: string, run: () => void): void {
  useEffect(() => {
    const shortcut = { key, text };
    shortcuts.value = [...shortcuts.peek(), shortcut];
    return () => {
      shortcuts.value = shortcuts.peek().filter((other) => other !== shortcut);
    };
  }, [key, text]);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea, dialog[open]') !== null;
