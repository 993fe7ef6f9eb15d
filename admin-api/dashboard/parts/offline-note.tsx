/** Marks every page while the service cannot be reached. */
import { isOffline } from '../connection.ts';
import { TEXTS } from '../texts.ts';

export function OfflineNote() {
  return (
    <div role="status">
      {isOffline.value && (
        <div class="note note-warning offline">
          <p class="strong">{TEXTS.offline.title}</p>
          <p>{TEXTS.offline.text}</p>
        </div>
      )}
    </div>
  );
}
