/** The overview: certificates that need attention, and the latest changes. */
import { addressOf } from '../addresses.ts';
import type { AuditEntry, Domain, ListedCertificate } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { actionText, describeEntry } from '../audit/describe.ts';
import { toUnicode } from '../names.ts';
import { AddLink } from '../parts/list-tools.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { PausedNote } from '../parts/paused-note.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { type Resource, useResource } from '../parts/use-resource.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

const LATEST_DOMAINS = 5;
const LATEST_ENTRIES = 10;
const MAX_PROBLEMS = 20;
/** Maximum domains of an account. The query sorts all of them, so larger accounts omit it. */
const MAX_SORTED = 2000;
/** Maximum requests. A page of certificates can be empty although more follow. */
const MAX_PAGES = 5;

interface Problems {
  readonly certificates: readonly ListedCertificate[];
  /** Whether all domains were checked. */
  readonly isComplete: boolean;
}

const readAccount = () => settle(api.GET('/api/v1/account'));

async function readDomains(): Promise<Result<readonly Domain[]>> {
  const query = { limit: LATEST_DOMAINS, sort: '-updated_at' } as const;
  const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
  return result.ok ? { ...result, data: result.data.domains } : result;
}

async function readEntries(): Promise<Result<readonly AuditEntry[]>> {
  const result = await settle(api.GET('/api/v1/audit', { params: { query: { limit: LATEST_ENTRIES } } }));
  return result.ok ? { ...result, data: result.data.entries } : result;
}

const readCertificates = (cursor: string | null) => {
  const query = { limit: MAX_PROBLEMS, only: 'problems' as const, ...(cursor === null ? {} : { cursor }) };
  return settle(api.GET('/api/v1/certificates', { params: { query } }));
};

async function readProblems(): Promise<Result<Problems>> {
  const certificates: ListedCertificate[] = [];
  let cursor: string | null = null;
  for (let page = 1; ; page++) {
    const result: Awaited<ReturnType<typeof readCertificates>> = await readCertificates(cursor);
    if (!result.ok) return result;
    certificates.push(...result.data.certificates);
    cursor = result.data.next_cursor;
    if (cursor === null || certificates.length >= MAX_PROBLEMS || page === MAX_PAGES)
      return { ...result, data: { certificates, isComplete: cursor === null } };
  }
}

export function Overview() {
  const texts = TEXTS.overview;
  usePageTitle(texts.title);
  const account = useResource(readAccount);
  useChanges(({ kind }) => kind === 'domain' || kind === 'records' || kind === 'account', account.load);
  const shown = account.value.value?.account;
  return (
    <div class="stack">
      <div class="head">
        <h1>{texts.title}</h1>
        <AddLink page="addDomain" label={TEXTS.domains.add} />
      </div>
      <PausedNote />
      {account.failure.value !== null && <FailureNote failure={account.failure.value} retry={account.load} />}
      {shown === undefined && account.failure.value === null && <Skeleton />}
      {shown !== undefined && (
        <ul class="counts">
          <li>
            <a href={addressOf('domains')}>{texts.domains(shown.domain_count)}</a>
            {!shown.limits.is_unlimited && (
              <span class="hint">{texts.limit(shown.limits.max_domains_display, shown.limits.plan)}</span>
            )}
          </li>
          <li>{texts.records(shown.dns_record_count)}</li>
        </ul>
      )}
      {shown?.domain_count === 0 && !isReader.value && <FirstSteps />}
      {shown !== undefined && shown.domain_count > 0 && (
        <>
          <Certificates />
          {shown.domain_count <= MAX_SORTED && <LatestDomains />}
        </>
      )}
      <LatestChanges />
    </div>
  );
}

function FirstSteps() {
  const texts = TEXTS.overview;
  return (
    <section class="card">
      <h2>{texts.first}</h2>
      <ol class="first-steps">
        {texts.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

function Certificates() {
  const texts = TEXTS.overview;
  const problems = useResource(readProblems);
  useChanges(({ kind }) => ['domain', 'proxy', 'certificate'].includes(kind), problems.load);
  return (
    <section class="card" aria-labelledby="certificates">
      <h2 id="certificates">{texts.certificates}</h2>
      <State of={problems} />
      {problems.value.value?.certificates.length === 0 && (
        <p class="hint">{problems.value.value.isComplete ? texts.noProblems : texts.noProblemsYet}</p>
      )}
      {(problems.value.value?.certificates.length ?? 0) > 0 && (
        <ul class="entries">
          {problems.value.value?.certificates.map(({ domain_id: id, domain, problem }) => (
            <li key={id}>
              <a href={addressOf('proxy', { domain_id: id })}>{toUnicode(domain)}</a>
              <p>{problem}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function LatestDomains() {
  const texts = TEXTS.overview;
  const domains = useResource(readDomains);
  useChanges(({ kind }) => kind === 'domain' || kind === 'records', domains.load);
  return (
    <section class="card" aria-labelledby="domains">
      <h2 id="domains">{texts.latestDomains}</h2>
      <State of={domains} />
      <ul class="entries">
        {domains.value.value?.map(({ id, domain, updated_at: at }) => (
          <li key={id}>
            <a href={addressOf('records', { domain_id: id })}>{toUnicode(domain)}</a>
            <p class="hint">
              <Time value={at} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LatestChanges() {
  const texts = TEXTS.overview;
  const entries = useResource(readEntries);
  useChanges(() => true, entries.load);
  return (
    <section class="card" aria-labelledby="changes">
      <h2 id="changes">{texts.latestChanges}</h2>
      <State of={entries} />
      <ul class="entries">
        {entries.value.value?.map((entry) => (
          <li key={entry.id}>
            <span>
              {actionText(entry.action)}
              {entry.domain !== null && ` · ${toUnicode(entry.domain)}`}
            </span>
            <p class="hint">
              <Time value={entry.at} />{' '}
              {entry.actor === null ? TEXTS.history.byService : TEXTS.history.by(entry.actor.username)}
            </p>
            <p class="hint entry-detail">{describeEntry(entry)}</p>
          </li>
        ))}
      </ul>
      <p>
        <a href={addressOf('audit')}>{texts.allChanges}</a>
      </p>
    </section>
  );
}

function State({ of: { value, failure, load } }: { readonly of: Resource<unknown> }) {
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  return value.value === null ? <Skeleton /> : null;
}
