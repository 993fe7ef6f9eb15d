/** Messages about failed requests. */
import { useEffect } from 'preact/hooks';
import { closeAnnouncement } from '../../ui/parts/announce.tsx';
import type { Failure } from '../failure.ts';
import { TEXTS } from '../texts.ts';

export function FailureNote({ failure, retry }: { readonly failure: Failure; readonly retry?: () => unknown }) {
  useEffect(closeAnnouncement, [failure]);
  // A single fault has the same message as the failure.
  const details = failure.details.filter(({ message }) => failure.details.length > 1 || message !== failure.message);
  return (
    <div class="note note-bad" role="alert">
      <p>{failure.message}</p>
      {details.length > 0 && (
        <ul>
          {details.map(({ message, file, line, fix }) => (
            <li key={`${message} ${file} ${line}`}>
              {message}
              {file !== undefined && <code> {line === undefined ? file : `${file}:${line}`}</code>} {fix}
            </li>
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
