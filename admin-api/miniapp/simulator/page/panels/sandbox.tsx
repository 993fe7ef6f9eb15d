/** Attempts that the sandbox refused. */
import { visible } from '../../../../ui/excerpt.ts';
import type { ViolationView } from '../../protocol.ts';
import { Clock } from '../parts/clock.tsx';
import { Empty, PanelBar, SmallButton } from '../parts/panel.tsx';
import { command } from '../server.ts';
import { guardViolations, topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

export function SandboxPanel() {
  const texts = TEXTS.sandbox;
  const all = [...(topics.violations.value ?? []), ...guardViolations.value].sort((a, b) => b.at - a.at);
  if (all.length === 0) return <Empty text={texts.empty} />;
  return (
    <>
      <PanelBar>
        <p class="hint">{texts.about}</p>
        <SmallButton
          label={texts.clear}
          onClick={() => {
            guardViolations.value = [];
            return command('clearViolations', {});
          }}
        />
      </PanelBar>
      <ol class="entries" aria-label={TEXTS.panels.names.sandbox}>
        {all.map((violation) => (
          <Violation key={violation.id} violation={violation} />
        ))}
      </ol>
    </>
  );
}

function Violation({ violation: { at, kind, detail, source } }: { readonly violation: ViolationView }) {
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="facts-line">
          <span class="badge badge-warning">{visible(kind)}</span>
          <span class="hint">
            <Clock at={at} />
          </span>
          {source !== '' && <code>{visible(source)}</code>}
        </p>
        <code class="entry-value">{visible(detail)}</code>
      </div>
    </li>
  );
}
