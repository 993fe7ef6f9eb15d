/** The faults of a record, each with the contents that the service would accept instead. */
import { TEXTS } from '../texts.ts';
import type { RowFault } from './edits.ts';

interface FaultsProps {
  readonly faults: readonly RowFault[];
  readonly onChoose: (content: string) => void;
}

export function Faults({ faults, onChoose }: FaultsProps) {
  return (
    <div aria-live="polite">
      {faults.map(({ message, choices }) => (
        <div key={message}>
          <p class="fault">{message}</p>
          {choices.length > 0 && (
            <p class="choices">
              {choices.map((choice) => (
                <button key={choice} type="button" class="button" onClick={() => onChoose(choice)}>
                  {TEXTS.records.useContent(choice)}
                </button>
              ))}
            </p>
          )}
        </div>
      ))}
    </div>
  );
}
