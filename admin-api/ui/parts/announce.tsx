/**
 * Messages about finished actions, at one place that is always in view. They are read by screen
 * readers and never take the focus.
 */
import { signal } from '@preact/signals';
import { IconButton } from './icon-button.tsx';

const SHOWN_MS = 6000;

interface Action {
  readonly label: string;
  readonly run: () => unknown;
  /** Label of the button that closes the message. */
  readonly close: string;
}

interface Message {
  readonly text: string;
  readonly action: Action | null;
}

const message = signal<Message | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Shows a message for some seconds; with an action, until it is closed or used. The next message or
 * failure replaces it. Returns a function that closes it. Failures stay next to what has failed:
 * parts/notes.tsx.
 */
export function announce(text: string, action: Action | null = null): () => void {
  const shown: Message = { text, action };
  const close = (): void => {
    if (message.peek() === shown) message.value = null;
  };
  clearTimeout(timer);
  message.value = shown;
  if (action === null) timer = setTimeout(close, SHOWN_MS);
  return close;
}

/** Closes the message, since a failure is newer. */
export function closeAnnouncement(): void {
  message.value = null;
}

export function Announcement() {
  const { text = '', action = null } = message.value ?? {};
  return (
    <div class={text === '' ? 'announcement' : 'announcement announcement-shown'}>
      <p role="status">{text}</p>
      {action !== null && (
        <>
          <button type="button" class="button" onClick={action.run}>
            {action.label}
          </button>
          <IconButton icon="close" label={action.close} onClick={closeAnnouncement} />
        </>
      )}
    </div>
  );
}
