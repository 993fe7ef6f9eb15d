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
  /** Key of the opened dialog: another one each time. */
  readonly opening: number;
  /** The properties that the opened dialog gets. */
  readonly opened: OpenedDialog;
}

/** `keepsKeys`: what is typed meanwhile belongs to the dialog, which takes it with `takeTyped`. */
export function useLazyDialog<Props>(
  load: () => Promise<FunctionComponent<Props>>,
  { keepsKeys = true } = {},
): LazyDialog<Props> {
  const loaded = useSignal<FunctionComponent<Props> | null>(null);
  /** The number of the opening that is shown. 0: closed. */
  const shown = useSignal(0);
  const openings = useRef(0);
  const isOpening = useSignal(false);
  const keys = useRef(new EarlyKeys()).current;
  const open = async (): Promise<void> => {
    if (isOpening.peek()) return;
    isOpening.value = true;
    if (keepsKeys) keys.begin();
    try {
      loaded.value ??= await load();
      shown.value = ++openings.current;
    } catch {
      keys.end();
      announce(TEXTS.errors.script);
    }
    isOpening.value = false;
  };
  const opening = shown.value;
  // A browser reports late that a dialog was closed. It may have been opened again.
  const close = (): void => {
    if (shown.peek() === opening) shown.value = 0;
  };
  return {
    isOpening,
    open,
    Shown: opening === 0 ? null : loaded.value,
    opening,
    opened: { takeTyped: () => keys.end(), onClose: close },
  };
}
