/** The examples of an operation: one tab for each language, and the response. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Code, PANEL } from './code.tsx';
import type { Operation } from './document.ts';
import { TEXTS } from './texts.ts';

/** Stays for the next operation. */
const chosen = signal('curl');

export function Samples({ operation }: { readonly operation: Operation }) {
  const tabs = useRef<HTMLDivElement>(null);
  const samples = operation['x-codeSamples'];
  const shown = samples.find(({ label }) => label === chosen.value) ?? samples[0];
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = (samples.indexOf(shown) + step + samples.length) % samples.length;
    chosen.value = samples[at].label;
    tabs.current?.querySelectorAll('button')[at].focus();
  };
  const { example } = operation.responses['200']?.content?.['application/json'] ?? {};
  const head = (
    <div class="tabs" role="tablist" aria-labelledby="samples-title" ref={tabs}>
      {samples.map(({ label }) => (
        <button
          key={label}
          type="button"
          role="tab"
          id={`tab-${label}`}
          aria-selected={label === shown.label}
          aria-controls={PANEL}
          tabIndex={label === shown.label ? 0 : -1}
          onClick={() => {
            chosen.value = label;
          }}
          onKeyDown={move}
        >
          {label}
        </button>
      ))}
    </div>
  );
  return (
    <section class="stack" aria-labelledby="samples-title">
      <h2 id="samples-title">{TEXTS.examples}</h2>
      <Code label={shown.label} head={head} text={shown.source} tab={`tab-${shown.label}`} />
      {example !== undefined && (
        <Code
          label={TEXTS.exampleResponse}
          head={<h3>{TEXTS.exampleResponse}</h3>}
          text={JSON.stringify(example, null, 2)}
        />
      )}
    </section>
  );
}
