/** Keyboard shortcuts of a page. Ignored while the user is typing, but for those with Ctrl. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface Shortcut {
  /** As on the keyboard. */
  readonly key: string;
  /** Description for the help. */
  readonly text: string;
}

/** The shortcuts of the current page, for the help. */
export const shortcuts = signal<readonly Shortcut[]>([]);

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key with Ctrl, or with Command on Apple's keyboards. */
export const commandKey = (key: string): string => (isApple ? `⌘${key.toUpperCase()}` : `Ctrl ${key.toUpperCase()}`);

/** Whether a key is pressed with Ctrl or Command, and with no other. */
export const hasCommand = (event: KeyboardEvent, key: string): boolean =>
  event.key === key && !event.altKey && !event.shiftKey && (isApple ? event.metaKey : event.ctrlKey);

/** `isCommand`: the key is pressed with Ctrl or Command, also while the user is typing. */
export function useShortcut(key: string, text: string, run: () => void, { isCommand = false } = {}): void {
  useEffect(() => {
    const shortcut = { key: isCommand ? commandKey(key) : key, text };
    shortcuts.value = [...shortcuts.peek(), shortcut];
    return () => {
      shortcuts.value = shortcuts.peek().filter((other) => other !== shortcut);
    };
  }, [key, text]);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (isCommand ? !hasCommand(event, key) : event.key !== key || event.altKey || event.ctrlKey || event.metaKey)
        return;
      if (isInDialog(event.target) || (!isCommand && isTyping(event.target))) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('dialog[open]') !== null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea') !== null;

/** Keys that are typed before the script of a dialog is loaded. They belong to its field. */
export class EarlyKeys {
  #typed = '';

  begin(): void {
    this.#typed = '';
    addEventListener('keydown', this.#keep, { capture: true });
  }

  /** Returns the typed text. */
  end(): string {
    removeEventListener('keydown', this.#keep, { capture: true });
    return this.#typed;
  }

  readonly #keep = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Backspace') this.#typed = this.#typed.slice(0, -1);
    else if (event.key.length === 1) this.#typed += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
}
