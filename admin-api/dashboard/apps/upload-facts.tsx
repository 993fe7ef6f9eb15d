/** The details of a package except its findings: state, notes, size and steps. */
import type { ComponentChildren } from 'preact';
import { visible } from '../../ui/excerpt.ts';
import { addressOf } from '../addresses.ts';
import type { Upload } from '../api/views.ts';
import { formatBytes } from '../numbers.ts';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { StateBadge } from './state-badge.tsx';

/** Path of the public, signed app that phones download. */
const STORE = '/api/store/apps';

interface UploadFactsProps {
  readonly upload: Upload;
  /** Explains the state to the owner. Omitted for reviewers. */
  readonly explanation?: string;
  /** Further details. */
  readonly children?: ComponentChildren;
}

export function UploadFacts({ upload, explanation, children }: UploadFactsProps) {
  const texts = TEXTS.upload;
  const { app_id, version, version_code, status, size, sha256, notes, created_at } = upload;
  return (
    <>
      <div class="domain-head">
        <h1>{texts.title(app_id, visible(version))}</h1>
        <StateBadge state={status} />
      </div>
      {explanation !== undefined && <p role="status">{explanation}</p>}
      <section class="card">
        <dl class="pairs">
          <div>
            <dt>{texts.app}</dt>
            <dd>
              <a href={addressOf('app', { app_id })}>{app_id}</a>
            </dd>
          </div>
          <Fact name={texts.versionCode}>{version_code}</Fact>
          <Fact name={texts.size}>{formatBytes(size)}</Fact>
          <Fact name={texts.created}>
            <Time value={created_at} />
          </Fact>
          {children}
          <div class="wide">
            <dt>{texts.sha256}</dt>
            <dd>
              <code>{sha256}</code>
            </dd>
          </div>
          {status === 'published' && (
            <div class="wide">
              <dt>{texts.store}</dt>
              <dd>
                <a href={`${STORE}/${app_id}`}>{`${STORE}/${app_id}`}</a>
              </dd>
            </div>
          )}
        </dl>
        <h2>{texts.notes}</h2>
        {notes === null ? (
          <p class="hint">{texts.noNotes}</p>
        ) : (
          <p class="written">
            {notes
              .split(/\r\n|\r|\n/)
              .map(visible)
              .join('\n')}
          </p>
        )}
      </section>
    </>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function UploadSteps({ history }: Pick<Upload, 'history'>) {
  const texts = TEXTS.upload;
  return (
    <section class="stack">
      <h2>{texts.steps}</h2>
      <ol class="steps">
        {history.map(({ status, at, by, reason, codes }) => (
          <li key={`${status} ${at}`}>
            <p>
              <StateBadge state={status} /> <Time value={at} /> {by !== null && texts.by(by)}
            </p>
            {reason !== null && <p class="written">{visible(reason)}</p>}
            {codes.length > 0 && <p class="hint">{texts.codes(codes.join(', '))}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
