/** Messages about failed requests. */
import type { Failure } from '../failure.ts';
import { TEXTS } from '../texts.ts';

export function FailureNote({ failure, retry }: { readonly failure: Failure; readonly retry?: () => unknown }) {
  return (
    <div class="note note-bad" role="alert">
      <p>{failure.message}</p>
      {failure.details.length > 1 && (
        <ul>
          {failure.details.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {retry !== undefined && (
        <button type="button" class="button" onClick={() => retry()}>
          {TEXTS.retry}
        </button>
      )}
    </div>
  );
}
