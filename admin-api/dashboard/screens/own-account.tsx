/** The user's own account: e-mail address, password, second factors and sessions. */
import type { OwnAccountView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { Email, Password } from '../own-account/credentials.tsx';
import { OneTimeCodes } from '../own-account/one-time-codes.tsx';
import { PasskeyList } from '../own-account/passkey-list.tsx';
import { readSessions, SessionList } from '../own-account/session-list.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { type Resource, useResource } from '../parts/use-resource.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.ownAccount;

/** Set explicitly, because an administrator may act for another account. */
async function readAccount() {
  const query = { account: session.peek()?.user.id };
  const result = await settle(api.GET('/api/v1/account', { params: { query } }));
  return result.ok ? { ...result, data: result.data.account } : result;
}

async function readTotp() {
  const result = await settle(api.GET('/api/v1/account/totp'));
  return result.ok ? { ...result, data: result.data.totp } : result;
}

export function OwnAccount() {
  usePageTitle(texts.title);
  const account = useResource(readAccount);
  const totp = useResource(readTotp);
  const sessions = useResource(readSessions);
  const needsCode = totp.value.value?.enabled ?? false;
  return (
    <div class="stack narrow">
      <h1>{texts.title}</h1>
      <Loaded resource={account}>
        {(row) => (
          <>
            <Facts account={row} />
            <Email email={row.email} needsCode={needsCode} onChange={account.load} />
          </>
        )}
      </Loaded>
      <Password needsCode={needsCode} onChange={sessions.load} />
      <Loaded resource={totp}>
        {(row) => (
          <>
            <OneTimeCodes totp={row} onChange={totp.load} />
            <PasskeyList needsCode={needsCode} />
          </>
        )}
      </Loaded>
      <SessionList sessions={sessions} />
    </div>
  );
}

interface LoadedProps<T> {
  readonly resource: Resource<T>;
  readonly children: (value: T) => preact.ComponentChildren;
}

function Loaded<T>({ resource: { value, failure, load }, children }: LoadedProps<T>) {
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  return value.value === null ? <Skeleton /> : children(value.value);
}

function Facts({ account }: { readonly account: OwnAccountView }) {
  const { username, role, limits, domain_count, dns_record_count } = account;
  const rows = [
    [texts.facts.username, username],
    [texts.facts.role, TEXTS.account.roles[role]],
    [texts.facts.plan, limits.plan],
    [texts.facts.usage, texts.usage(domain_count, limits.max_domains_display, limits.is_unlimited, dns_record_count)],
  ];
  return (
    <dl class="card own-facts">
      {rows.map(([term, text]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
