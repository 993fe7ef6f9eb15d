/** The live requests of a domain. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { toUnicode } from '../names.ts';
import { FailureNote } from '../parts/notes.tsx';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Time } from '../parts/time.tsx';
import { ROW, VirtualRows } from '../parts/virtual-rows.tsx';
import { LiveRequests, type LiveState } from '../requests/live-requests.ts';
import { FACETS, matches, type RequestFilter, type RequestRow } from '../requests/request-filter.ts';
import { TopLists } from '../requests/top-lists.tsx';
import { currentQuery, replaceQuery } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** Must equal the value in the style sheet. */
const NARROW_ROW = 104;
const COLUMNS = 7;
const STATUS_CLASSES = ['2', '3', '4', '5'];

interface Paused {
  readonly rows: readonly RequestRow[];
  /** Number of received rows at that time. */
  readonly received: number;
}

export function Requests({ domainId }: ScreenProps) {
  const texts = TEXTS.requests;
  const live = useMemo(() => new LiveRequests(domainId), [domainId]);
  useEffect(() => {
    live.start();
    const follow = (): void => live.visibilityChanged(document.hidden);
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      live.stop();
    };
  }, [live]);
  const search = useRef<HTMLInputElement>(null);
  const paused = useSignal<Paused | null>(null);
  const filter = useComputed(readFilter);
  const shown = useComputed(() => (paused.value?.rows ?? live.rows.value).filter((row) => matches(row, filter.value)));
  const pause = (): void => {
    paused.value = paused.value === null ? { rows: live.rows.value, received: live.received.value } : null;
  };
  useShortcut('/', TEXTS.help.search, () => search.current?.focus());
  const state = live.state.value;
  const isRunning = state !== 'stopped';
  const rows = shown.value;
  return (
    <>
      <p class="hint lead">{texts.explanation}</p>
      <div class="tools">
        <input
          ref={search}
          type="search"
          aria-label={texts.filter}
          placeholder={texts.filterHint}
          value={filter.value.text}
          onInput={({ currentTarget: { value } }) => replaceQuery({ q: value })}
        />
        <select
          aria-label={texts.statusFilter}
          value={filter.value.statusClass}
          onChange={({ currentTarget: { value } }) => replaceQuery({ class: value })}
        >
          <option value="">{texts.allStatuses}</option>
          {STATUS_CLASSES.map((digit) => (
            <option key={digit} value={digit}>
              {texts.statusClass(digit)}
            </option>
          ))}
        </select>
        <button type="button" class="button" onClick={pause} aria-disabled={live.rows.value.length === 0}>
          {paused.value === null ? texts.pause : texts.resume}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            live.clear();
            paused.value = null;
          }}
        >
          {texts.clear}
        </button>
        <button
          type="button"
          class={isRunning ? 'button' : 'button button-main'}
          onClick={() => (isRunning ? live.stop() : live.start())}
        >
          {isRunning ? texts.stop : texts.start}
        </button>
      </div>
      {live.failure.value !== null && <FailureNote failure={live.failure.value} retry={() => live.start()} />}
      {/* Not a live region: it changes several times a second. */}
      <p class="hint lead">
        {paused.value === null
          ? texts.shown(rows.length, live.omitted.value)
          : texts.paused(live.received.value - paused.value.received)}
      </p>
      <p class="hint lead" role="status">
        {state === 'lost' ? texts.lost : state === 'connecting' ? texts.connecting : ''}
      </p>
      <Chosen filter={filter.value} />
      {rows.length > 0 && (
        <TopLists rows={rows} filter={filter.value} choose={(facet, value) => replaceQuery({ [facet]: value })} />
      )}
      {rows.length === 0 && live.failure.value === null && (
        <NoRequests state={state} isFiltered={live.rows.value.length > 0} />
      )}
      {rows.length > 0 && <RequestTable rows={rows} />}
    </>
  );
}

/** The filters are parameters of the address. */
function readFilter(): RequestFilter {
  const query = currentQuery.value;
  const values = Object.fromEntries(FACETS.map((facet) => [facet, query.get(facet) ?? '']));
  return { ...values, text: query.get('q') ?? '', statusClass: query.get('class') ?? '' };
}

/** The chosen values, which a click removes. */
function Chosen({ filter }: { readonly filter: RequestFilter }) {
  const texts = TEXTS.requests;
  const chosen = FACETS.filter((facet) => (filter[facet] ?? '') !== '');
  if (chosen.length === 0) return null;
  return (
    <ul class="chips lead" aria-label={texts.chosen}>
      {chosen.map((facet) => (
        <li key={facet}>
          <button
            type="button"
            class="chip"
            aria-label={texts.remove(texts.facets[facet], filter[facet] ?? '')}
            onClick={() => replaceQuery({ [facet]: '' })}
          >
            {texts.facets[facet]}: {filter[facet]} ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function NoRequests({ state, isFiltered }: { readonly state: LiveState; readonly isFiltered: boolean }) {
  const texts = TEXTS.requests;
  if (isFiltered) return <p class="empty">{texts.noMatch}</p>;
  if (state === 'stopped')
    return (
      <div class="empty">
        <h2>{texts.stopped}</h2>
        <p>{texts.stoppedHint}</p>
      </div>
    );
  return <p class="empty">{state === 'open' ? texts.waiting : ''}</p>;
}

function RequestTable({ rows }: { readonly rows: readonly RequestRow[] }) {
  const texts = TEXTS.requests;
  return (
    <table class="table requests">
      <thead>
        <tr>
          <th scope="col" class="cell-time">
            {texts.time}
          </th>
          <th scope="col" class="cell-status">
            {texts.status}
          </th>
          <th scope="col" class="cell-request">
            {texts.request}
          </th>
          <th scope="col" class="cell-ms">
            {texts.duration}
          </th>
          <th scope="col" class="cell-cache">
            {texts.cache}
          </th>
          <th scope="col" class="cell-client">
            {texts.client}
          </th>
          <th scope="col" class="cell-agent">
            {texts.agent}
          </th>
        </tr>
      </thead>
      <VirtualRows
        count={rows.length}
        rowHeight={isNarrow.value ? NARROW_ROW : ROW}
        columns={COLUMNS}
        renderRow={(index) => <RequestLine key={rows[index].key} row={rows[index]} />}
      />
    </table>
  );
}

/** All texts of a row come from visitors, so they are rendered as plain text. */
function RequestLine({ row }: { readonly row: RequestRow }) {
  const texts = TEXTS.requests;
  const { time, status, method, scheme, host, path, ms, cache, client, node, bytes, version } = row;
  const agent = row.user_agent ?? '';
  return (
    <tr class="row" title={texts.details(node, bytes, version)}>
      <td class="cell-time">
        <Time value={time.slice(0, 19).replace('T', ' ')} format="clock" />
      </td>
      <td class={status >= 500 ? 'cell-status bad' : 'cell-status'}>{status}</td>
      <td class="cell-request" title={`${scheme}://${host}${path}`}>
        <span class="strong">{method}</span> {toUnicode(host)}
        {path}
      </td>
      <td class="cell-ms">{texts.milliseconds(ms)}</td>
      <td class="cell-cache">{cache}</td>
      <td class="cell-client" title={client}>
        {client}
      </td>
      <td class="cell-agent" title={agent}>
        {agent}
      </td>
    </tr>
  );
}
