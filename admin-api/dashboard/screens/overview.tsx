/** The overview: whether everything is all right, the traffic, and the latest changes. */
import { addressOf } from '../addresses.ts';
import type { AuditEntry, Domain } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { describeSentence } from '../audit/describe.ts';
import { toUnicode } from '../names.ts';
import { Checklist } from '../overview/checklist.tsx';
import { Health } from '../overview/health.tsx';
import { Traffic } from '../overview/traffic.tsx';
import { AddLink } from '../parts/list-tools.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { PausedNote } from '../parts/paused-note.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { useInterval } from '../parts/use-interval.ts';
import { type Resource, useResource } from '../parts/use-resource.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

const LATEST_DOMAINS = 5;
const LATEST_ENTRIES = 8;
/** Milliseconds between two reads, while a large account is being checked and after that. */
const SOON_MS = 2000;
const REFRESH_MS = 60_000;
/** Up to this number of domains an account is new. */
const FEW_DOMAINS = 3;

const readAccount = () => settle(api.GET('/api/v1/account'));

async function readOverview() {
  const result = await settle(api.GET('/api/v1/overview'));
  return result.ok ? { ...result, data: result.data.overview } : result;
}

async function readDomains(): Promise<Result<readonly Domain[]>> {
  const query = { limit: LATEST_DOMAINS, sort: '-updated_at' } as const;
  const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
  return result.ok ? { ...result, data: result.data.domains } : result;
}

async function readEntries(): Promise<Result<readonly AuditEntry[]>> {
  const result = await settle(api.GET('/api/v1/audit', { params: { query: { limit: LATEST_ENTRIES } } }));
  return result.ok ? { ...result, data: result.data.entries } : result;
}

const CHANGES: ReadonlySet<string> = new Set(['domain', 'records', 'proxy', 'certificate', 'delegation', 'dnssec']);

export function Overview() {
  const texts = TEXTS.overview;
  usePageTitle(texts.title);
  const account = useResource(readAccount);
  const overview = useResource(readOverview);
  useChanges(({ kind }) => kind === 'domain' || kind === 'records' || kind === 'account', account.load);
  useChanges(({ kind }) => CHANGES.has(kind), overview.load);
  useInterval(overview.load, overview.value.value?.is_complete === false ? SOON_MS : REFRESH_MS);
  const shown = account.value.value?.account;
  const state = overview.value.value;
  const hasDomains = shown !== undefined && shown.domain_count > 0;
  // What is above has its height then.
  const hasHead = isRead(account) && isRead(overview);
  return (
    <div class="stack overview">
      <div class="head">
        <h1>{texts.title}</h1>
        {shown !== undefined && (
          <p class="hint">
            <a href={addressOf('domains')}>{texts.domains(shown.domain_count)}</a>
            {!shown.limits.is_unlimited && ` ${texts.limit(shown.limits.max_domains_display, shown.limits.plan)}`},{' '}
            {texts.records(shown.dns_record_count)}
          </p>
        )}
        {shown?.domain_count !== 0 && <AddLink page="addDomain" label={TEXTS.domains.add} />}
      </div>
      <PausedNote />
      {account.failure.value !== null && <FailureNote failure={account.failure.value} retry={account.load} />}
      {shown !== undefined && shown.domain_count <= FEW_DOMAINS && state !== null && !isReader.value && (
        <Checklist account={shown} overview={state} />
      )}
      {overview.failure.value !== null && <FailureNote failure={overview.failure.value} retry={overview.load} />}
      {state === null && overview.failure.value === null && <div class="skeleton-block skeleton-health" />}
      {hasDomains && state !== null && <Health overview={state} />}
      <div class="stack" hidden={!hasHead}>
        {hasDomains && <Traffic />}
        <div class="overview-columns">
          <LatestChanges />
          {hasDomains && <LatestDomains />}
        </div>
      </div>
    </div>
  );
}

const isRead = ({ value, failure }: Resource<unknown>): boolean => value.value !== null || failure.value !== null;

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
              <Time value={at} format="relative" />
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
      <div class="card-head">
        <h2 id="changes">{texts.latestChanges}</h2>
        <a href={addressOf('audit')}>{texts.allChanges}</a>
      </div>
      <State of={entries} />
      <ul class="entries">
        {entries.value.value?.map((entry) => (
          <Change key={entry.id} entry={entry} />
        ))}
      </ul>
    </section>
  );
}

/** A change as a sentence: who has done what, from which value to which. */
function Change({ entry }: { readonly entry: AuditEntry }) {
  const { who, did, changes } = describeSentence(entry);
  return (
    <li>
      <span>
        <strong>{who}</strong> {did}
      </span>
      <p class="hint">
        <Time value={entry.at} format="relative" />
      </p>
      <p class="hint entry-detail">{changes.join('; ')}</p>
    </li>
  );
}

function State({ of: { value, failure, load } }: { readonly of: Resource<unknown> }) {
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  return value.value === null ? <Skeleton /> : null;
}
