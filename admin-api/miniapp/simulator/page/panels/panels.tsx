/** The panels next to the phone, one at a time. */
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../../../../ui/excerpt.ts';
import type { ViolationView } from '../../protocol.ts';
import { PANELS, type PanelName } from '../choices.ts';
import { Clock } from '../parts/clock.tsx';
import { Empty, PanelBar, SmallButton } from '../parts/panel.tsx';
import { command } from '../server.ts';
import { panel } from '../settings.ts';
import { consoleLines, guardViolations, topics } from '../state.ts';
import { TEXTS } from '../texts.ts';
import { BackgroundPanel } from './background.tsx';
import { ConsolePanel } from './console.tsx';
import { DevicePanel } from './device.tsx';
import { FindingsPanel } from './findings.tsx';
import { NetworkPanel } from './network.tsx';
import { PermissionsPanel } from './permissions.tsx';
import { StoragePanel } from './storage.tsx';

const CONTENTS: Readonly<Record<PanelName, ComponentType>> = {
  console: ConsolePanel,
  storage: StoragePanel,
  network: NetworkPanel,
  background: BackgroundPanel,
  permissions: PermissionsPanel,
  device: DevicePanel,
  findings: FindingsPanel,
  sandbox: SandboxPanel,
};

/** Shown next to the names of panels. */
const countsOf = (): Partial<Record<PanelName, number>> => ({
  console: consoleLines.value.filter(({ level }) => level === 'error').length,
  storage: topics.storage.value?.keys ?? 0,
  network: topics.network.value?.entries.length ?? 0,
  background: topics.background.value?.tasks.length ?? 0,
  findings: topics.audit.value?.findings.length ?? 0,
  sandbox: (topics.violations.value?.length ?? 0) + guardViolations.value.length,
});

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export function Panels() {
  const list = useRef<HTMLDivElement>(null);
  const Content = CONTENTS[panel.value];
  const counts = countsOf();
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [panel.value]);
  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = (PANELS.indexOf(panel.value) + step + PANELS.length) % PANELS.length;
    panel.value = PANELS[index];
    document.getElementById(`tab-${PANELS[index]}`)?.focus();
  };
  return (
    <section class="panels" id="panels" tabIndex={-1} aria-label={TEXTS.panels.label}>
      <div class="panel-tabs" role="tablist" aria-label={TEXTS.panels.label} ref={list} onKeyDown={move}>
        {PANELS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === panel.value}
            aria-controls="panel"
            tabIndex={name === panel.value ? 0 : -1}
            onClick={() => {
              panel.value = name;
            }}
          >
            {TEXTS.panels.names[name]}
            {(counts[name] ?? 0) > 0 && <span class="count">{counts[name]}</span>}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${panel.value}`}>
        <Content />
      </div>
    </section>
  );
}

/** Attempts that the sandbox refused. */
function SandboxPanel() {
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
