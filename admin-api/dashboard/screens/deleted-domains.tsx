/** The deleted domains of the account that can be restored, newest first. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { IconButton } from '../../ui/parts/icon-button.tsx';
import { addressOf } from '../addresses.ts';
import type { DeletedDomain } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { announceRestored, restore } from '../domains/bin.ts';
import type { Failure } from '../failure.ts';
import { DeletedHistory } from '../history/deleted-history.tsx';
import { toUnicode } from '../names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ListStatus } from '../parts/list-status.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import { useChanges } from '../parts/use-changes.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** Must equal the value in the style sheet. */
const NARROW_ROW = 136;

async function readDeleted(cursor: string | null): Promise<Result<Page<DeletedDomain>>> {
  const result = await settle(api.GET('/api/v1/domains/deleted', { params: { query: pageQuery(cursor) } }));
  if (!result.ok) return result;
  return { ...result, data: { rows: result.data.domains, cursor: result.data.next_cursor } };
}

export function DeletedDomains() {
  const texts = TEXTS.deletedDomains;
  usePageTitle(texts.title);
  const list = usePagedList('', readDeleted);
  const { found, refresh } = list;
  useChanges(({ kind }) => kind === 'domain', refresh);
  const shown = useSignal<DeletedDomain | null>(null);
  const discarded = useSignal<DeletedDomain | null>(null);
  const { isRunning, failure, run } = useAction();
  const bringBack = async (domain: DeletedDomain): Promise<void> => {
    if (!(await run(() => restore(domain)))) return;
    announceRestored([domain]);
    await refresh();
  };
  const discard = async ({ id, domain }: DeletedDomain): Promise<Failure | null> => {
    const params = { path: { domain_id: id }, query: { permanent: true } };
    const result = await settle(api.DELETE('/api/v1/domains/{domain_id}', { params }));
    if (!result.ok) return result.failure;
    announce(texts.discarded(toUnicode(domain)));
    await refresh();
    return null;
  };
  return (
    <>
      <nav class="path" aria-label={TEXTS.breadcrumb}>
        <ol>
          <li>
            <a href={addressOf('domains')}>{TEXTS.navigation.domains}</a>
          </li>
          <li aria-current="page">{texts.title}</li>
        </ol>
      </nav>
      <h1>{texts.title}</h1>
      <p class="keys-lead">{texts.explanation}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <ListStatus list={list} />
      {found.value !== null && found.value.rows.length === 0 && (
        <section class="empty">
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
        </section>
      )}
      <LongTable
        name="deleted"
        headings={[texts.domain, texts.records, texts.deleted, texts.until, texts.actions]}
        list={list}
        narrowRow={NARROW_ROW}
        renderRow={(domain) => (
          <DeletedRow
            key={domain.id}
            domain={domain}
            isBusy={isRunning.value}
            onRestore={() => void bringBack(domain)}
            onHistory={() => {
              shown.value = domain;
            }}
            onDiscard={() => {
              discarded.value = domain;
            }}
          />
        )}
      />
      {shown.value !== null && (
        <DeletedHistory
          domain={shown.value}
          onClose={() => {
            shown.value = null;
          }}
        />
      )}
      {discarded.value !== null && (
        <Confirm
          title={texts.discardTitle(toUnicode(discarded.value.domain))}
          explanation={texts.discardText}
          word={toUnicode(discarded.value.domain)}
          label={texts.discard}
          run={() => discard(discarded.value!)}
          onClose={() => {
            discarded.value = null;
          }}
        />
      )}
    </>
  );
}

interface DeletedRowProps {
  readonly domain: DeletedDomain;
  readonly isBusy: boolean;
  readonly onRestore: () => void;
  readonly onHistory: () => void;
  readonly onDiscard: () => void;
}

function DeletedRow({ domain, isBusy, onRestore, onHistory, onDiscard }: DeletedRowProps) {
  const texts = TEXTS.deletedDomains;
  const name = toUnicode(domain.domain);
  return (
    <tr>
      <th scope="row" class="cell-main">
        {name}
        {name !== domain.domain && <span class="hint"> {domain.domain}</span>}
      </th>
      <td data-label={texts.records}>{domain.record_count.toLocaleString('en')}</td>
      <td data-label={texts.deleted}>
        <Time value={domain.deleted_at} />
        {domain.deleted_by !== null && <span class="hint"> {TEXTS.history.by(domain.deleted_by)}</span>}
      </td>
      <td data-label={texts.until}>
        <Time value={domain.restorable_until} format="day" />
      </td>
      <td class="cell-actions">
        {!isReader.value && (
          <button
            type="button"
            class="button"
            aria-label={texts.restoreOne(name)}
            aria-disabled={isBusy}
            onClick={onRestore}
          >
            {texts.restore}
          </button>
        )}
        <IconButton icon="history" label={texts.historyOf(name)} onClick={onHistory} />
        {!isReader.value && <IconButton icon="remove" label={texts.discardOne(name)} onClick={onDiscard} />}
      </td>
    </tr>
  );
}
