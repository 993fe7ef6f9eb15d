/** Findings of the audit, by file. */
import { visible } from '../../../../ui/excerpt.ts';
import { Excerpt } from '../../../../ui/parts/excerpt.tsx';
import type { FindingView } from '../../protocol.ts';
import { Empty } from '../parts/panel.tsx';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

const BADGES = { error: 'badge-bad', warning: 'badge-warning', notice: '' } as const;

export function FindingsPanel() {
  const texts = TEXTS.findings;
  const audit = topics.audit.value;
  if (audit === null || (audit.verdict === null && audit.state !== 'failed')) return <Empty text={texts.waiting} />;
  if (audit.verdict === null) return <Empty text={texts.failed} />;
  const { findings, omitted, milliseconds, state, verdict } = audit;
  const count = (type: FindingView['type']): number => findings.filter((finding) => finding.type === type).length;
  return (
    <div class="stack" aria-busy={state === 'running'}>
      <p>
        <strong>{TEXTS.verdicts[verdict]}</strong> · {texts.summary(count('error'), count('warning'), count('notice'))}{' '}
        <span class="hint">{texts.took(milliseconds)}</span>
      </p>
      {state === 'failed' && <p class="note note-warning">{texts.failed}</p>}
      {findings.length === 0 && <Empty text={texts.empty} />}
      {groupByFile(findings).map(([file, ofFile]) => (
        <section key={file} class="stack finding-file">
          <h2>{file === null ? texts.wholePackage : <code>{visible(file)}</code>}</h2>
          <ul class="entries">
            {ofFile.map((finding) => (
              <FindingItem key={JSON.stringify(finding)} finding={finding} />
            ))}
          </ul>
        </section>
      ))}
      {omitted > 0 && <p class="hint">{texts.omitted(omitted)}</p>}
    </div>
  );
}

function FindingItem({ finding }: { readonly finding: FindingView }) {
  const texts = TEXTS.findings;
  const { type, code, line, column, message, fix } = finding;
  return (
    <li class="entry entry-tall">
      <div class="entry-text">
        <p class="facts-line">
          <span class={`badge ${BADGES[type]}`}>{texts.types[type]}</span>
          <code>{code}</code>
          <span class="hint">{texts.position(line, column)}</span>
        </p>
        <p>{visible(message)}</p>
        <Excerpt finding={finding} />
        <p class="hint">
          <strong>{texts.fix}</strong> {visible(fix)}
        </p>
      </div>
    </li>
  );
}

function groupByFile(findings: readonly FindingView[]): readonly [string | null, readonly FindingView[]][] {
  const groups = new Map<string | null, FindingView[]>();
  for (const finding of findings) groups.set(finding.file, [...(groups.get(finding.file) ?? []), finding]);
  return [...groups];
}
