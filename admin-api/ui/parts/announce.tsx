/** Messages about finished actions, shown for some seconds and read by screen readers. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6000;

const message = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for some seconds. Failures stay next to what has failed: parts/notes.tsx. */
export function announce(text: string): void {
  clearTimeout(timer);
  message.value = text;
  timer = setTimeout(() => {
    message.value = '';
  }, SHOWN_MS);
}

export function Announcement() {
  return (
    <div class="announcement" role="status">
      {message.value !== '' && <p class="note note-good">{message.value}</p>}
    </div>
  );
}
