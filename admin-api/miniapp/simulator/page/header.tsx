/** The current app, and its most important problems. */
import { visible } from '../../../ui/excerpt.ts';
import type { AuditView } from '../protocol.ts';
import { isConnected } from './server.ts';
import { panel } from './settings.ts';
import { topics } from './state.ts';
import { TEXTS } from './texts.ts';

const BADGES = { approved: 'badge-good', in_review: 'badge-warning', rejected: 'badge-bad' } as const;

export function Header() {
  const app = topics.package.value?.app;
  const audit = topics.audit.value;
  return (
    <header class="top">
      <div class="top-line">
        <p class="brand">{TEXTS.brand}</p>
        {app != null && (
          <h1>
            {visible(app.name)} <span class="hint">{TEXTS.version(visible(app.version), app.versionCode)}</span>
          </h1>
        )}
        {audit !== null && <Verdict audit={audit} />}
      </div>
      <Problems />
    </header>
  );
}

function Verdict({ audit: { state, verdict } }: { readonly audit: AuditView }) {
  const isRunning = state === 'running' || state === 'waiting';
  const text = verdict === null ? (isRunning ? TEXTS.auditing : null) : TEXTS.verdicts[verdict];
  if (text === null) return null;
  return (
    <button
      type="button"
      class={`badge verdict ${verdict === null ? '' : BADGES[verdict]}`}
      aria-busy={isRunning}
      onClick={() => {
        panel.value = 'findings';
      }}
    >
      {text}
    </button>
  );
}

function Problems() {
  const view = topics.package.value;
  return (
    <div class="problems" role="status">
      {!isConnected.value && <p class="note note-bad">{view === null ? TEXTS.connecting : TEXTS.disconnected}</p>}
      {view !== null && view.faults.length > 0 && (
        <div class="note note-bad">
          <p>{view.app === null ? TEXTS.manifest.first : TEXTS.manifest.kept}</p>
          <ul>
            {view.faults.map((fault) => (
              <li key={`${fault.code} ${fault.line} ${fault.message}`}>
                {fault.line !== null && <code>manifest.json:{fault.line} </code>}
                {visible(fault.message)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isTooOld() && (
        <p class="note note-warning">{TEXTS.tooOld(view!.app!.minHostVersion, topics.host.value!.version)}</p>
      )}
      {view !== null && view.sdk !== 'issued' && <p class="note note-warning">{TEXTS.sdk[view.sdk]}</p>}
    </div>
  );
}

/** Phones with this host version do not install the app. */
function isTooOld(): boolean {
  const needed = topics.package.value?.app?.minHostVersion;
  const version = topics.host.value?.version;
  if (needed === undefined || version === undefined) return false;
  const [a, b] = [version, needed].map((text) => text.split('.').map(Number));
  const index = a.findIndex((part, at) => part !== (b[at] ?? 0));
  return index >= 0 && a[index] < (b[index] ?? 0);
}
