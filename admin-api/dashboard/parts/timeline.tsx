/** A list of steps: done, in progress, failed or next. */
import { TEXTS } from '../texts.ts';
import type { Step } from './step.ts';
import { Time } from './time.tsx';

export function Timeline({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="timeline">
      {steps.map(({ state, text, detail, at, until }) => (
        <li key={text} class={`step step-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
          <p>
            <span class="hidden">{TEXTS.timeline[state]} </span>
            {text}
            {at !== undefined && (
              <span class="hint">
                {' '}
                <Time value={at} />
              </span>
            )}
            {until !== undefined && (
              <span class="hint">
                {' '}
                {TEXTS.timeline.until} <Time value={until} />
              </span>
            )}
          </p>
          {detail !== undefined && <p class="step-detail">{detail}</p>}
        </li>
      ))}
    </ol>
  );
}
