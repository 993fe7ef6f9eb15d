/** A dialog whose script is loaded when it is opened for the first time. */
import { type Signal, useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { TEXTS } from '../texts.ts';
import type { OpenedDialog } from './command-dialog.tsx';
import { EarlyKeys } from './shortcuts.ts';

interface LazyDialog<Props> {
  /** Whether the script is being loaded. */
  readonly isOpening: Signal<boolean>;
  readonly open: () => Promise<void>;
  /** Null: closed. */
  readonly Shown: FunctionComponent<Props> | null;
  /** The properties that the opened dialog gets. */
  readonly opened: OpenedDialog;
}

/** `keepsKeys`: what is typed meanwhile belongs to the dialog, which takes it with `takeTyped`. */
export function useLazyDialog<Props>(
  load: () => Promise<FunctionComponent<Props>>,
  { keepsKeys = true } = {},
): LazyDialog<Props> {
  const loaded = useSignal<FunctionComponent<Props> | null>(null);
  const isOpen = useSignal(false);
  const isOpening = useSignal(false);
  const keys = useRef(new EarlyKeys()).current;
  const open = async (): Promise<void> => {
    if (isOpening.peek()) return;
    isOpening.value = true;
    if (keepsKeys) keys.begin();
    try {
      loaded.value ??= await load();
      isOpen.value = true;
    } catch {
      keys.end();
      announce(TEXTS.errors.script);
    }
    isOpening.value = false;
  };
  const close = (): void => {
    isOpen.value = false;
  };
  return {
    isOpening,
    open,
    Shown: isOpen.value ? loaded.value : null,
    opened: { takeTyped: () => keys.end(), onClose: close },
  };
}
