/** The report of an audit: findings by severity and rule, with the source at each place. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visible } from '../../ui/excerpt.ts';
import { Excerpt } from '../../ui/parts/excerpt.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import type { Finding, Upload, UploadBrief } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { TEXTS } from '../texts.ts';
import { type Comparison, compareFindings, groupFindings, type RuleGroup } from './findings.ts';
import { readRules, rules } from './rules.ts';
import { isInAudit } from './state-badge.tsx';

interface ReportProps {
  readonly upload: Upload;
}

export function Report({ upload }: ReportProps) {
  const texts = TEXTS.report;
  const { summary, findings } = upload.audit;
  const comparison = useComparison(upload);
  useEffect(() => void readRules(), []);
  if (isInAudit(upload.status)) return null;
  return (
    <section class="stack">
      <h2>{texts.title}</h2>
      <p>{summary === null ? texts.noVerdict : texts.counts(summary)}</p>
      {summary !== null && summary.omitted > 0 && <p class="hint">{texts.omitted(summary.omitted)}</p>}
      {comparison.field}
      {groupFindings(findings).map(({ type, rules: groups, count }) => (
        <section key={type} class="stack">
          <h3>{texts.severities[type](count)}</h3>
          {groups.map((group) => (
            <RuleFindings key={group.code} group={group} isOpen={type === 'error'} compared={comparison.compared} />
          ))}
        </section>
      ))}
    </section>
  );
}

function RuleFindings({
  group: { code, findings },
  isOpen,
  compared,
}: {
  readonly group: RuleGroup;
  readonly isOpen: boolean;
  readonly compared: Comparison | null;
}) {
  const texts = TEXTS.report;
  const rule = rules.value.get(code);
  const fixes = [...new Set(findings.map(({ fix }) => fix))];
  const added = compared === null ? 0 : findings.filter((finding) => compared.added.has(finding)).length;
  return (
    <details class="card rule" open={isOpen}>
      <summary>
        <span class="rule-title">{rule?.title ?? code}</span> <code>{code}</code>{' '}
        <span class="hint">{texts.places(findings.length)}</span>{' '}
        {added > 0 && <span class="badge badge-warning">{texts.newPlaces(added)}</span>}
      </summary>
      {rule !== undefined && <p>{rule.about}</p>}
      {fixes.length === 1 && (
        <p>
          <strong>{texts.fix}</strong> {visible(fixes[0])}
        </p>
      )}
      <ul class="places">
        {findings.map((finding) => (
          <Place
            key={JSON.stringify(finding)}
            finding={finding}
            isNew={compared?.added.has(finding) ?? false}
            hasFix={fixes.length > 1}
          />
        ))}
      </ul>
    </details>
  );
}

function Place({
  finding,
  isNew,
  hasFix,
}: {
  readonly finding: Finding;
  readonly isNew: boolean;
  readonly hasFix: boolean;
}) {
  const texts = TEXTS.report;
  const { file, line, column, message, fix } = finding;
  return (
    <li>
      <p>
        <code>{texts.position(file === null ? null : visible(file), line, column)}</code>{' '}
        {isNew && <span class="badge badge-warning">{texts.isNew}</span>}
      </p>
      <p>{visible(message)}</p>
      <Excerpt finding={finding} />
      {hasFix && (
        <p>
          <strong>{texts.fix}</strong> {visible(fix)}
        </p>
      )}
    </li>
  );
}

/** Selects another package of the app, and compares the findings with its findings. */
function useComparison(upload: Upload) {
  const texts = TEXTS.report;
  const others = useSignal<readonly UploadBrief[]>([]);
  const chosen = useSignal('');
  const compared = useSignal<Comparison | null>(null);
  useEffect(() => {
    void readOthers(upload).then((found) => {
      others.value = found;
    });
  }, [upload.id]);
  useEffect(() => {
    compared.value = null;
    const id = Number(chosen.value);
    if (id === 0) return;
    void settle(api.GET('/api/dev/uploads/{upload_id}', { params: { path: { upload_id: id } } })).then((result) => {
      if (!result.ok || Number(chosen.peek()) !== id) return;
      compared.value = compareFindings(result.data.upload.audit.findings, upload.audit.findings);
    });
  }, [chosen.value, upload.audit.findings.length]);
  if (others.value.length === 0) return { field: null, compared: null };
  const choices = [
    { value: '', label: texts.compareNone },
    ...others.value.map(({ id, version, version_code }) => ({
      value: String(id),
      label: texts.version(visible(version), version_code),
    })),
  ];
  const field = (
    <div class="compare">
      <SelectField label={texts.compare} value={chosen} name="compare" choices={choices} />
      <p role="status">{compared.value !== null && texts.compared(compared.value.added.size, compared.value.gone)}</p>
    </div>
  );
  return { field, compared: compared.value };
}

/** Packages with an older version, the newest first. */
async function readOthers({ app_id, version_code }: Upload): Promise<readonly UploadBrief[]> {
  const result = await settle(api.GET('/api/dev/apps/{app_id}', { params: { path: { app_id } } }));
  if (!result.ok) return [];
  return result.data.uploads.filter((other) => other.version_code < version_code && !isInAudit(other.status));
}
