/** The nodes with their state, lag and version. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Node } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { formatBytes } from '../numbers.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useInterval } from '../parts/use-interval.ts';
import { TEXTS } from '../texts.ts';

const REFRESH_MS = 5000;
/** Milliseconds after which the state is out of date, because the node does not answer. */
const STALE_MS = 3 * REFRESH_MS;

async function readNodes() {
  return settle(api.GET('/api/v1/nodes'));
}

type NodesView = Extract<Awaited<ReturnType<typeof readNodes>>, { ok: true }>['data'];

export function Nodes() {
  const texts = TEXTS.nodes;
  usePageTitle(texts.title);
  const view = useSignal<NodesView | null>(null);
  const failure = useSignal<Failure | null>(null);
  const readAt = useSignal<Date | null>(null);
  const isStale = useSignal(false);
  const load = async (): Promise<void> => {
    // The browser may wait for minutes for a node that is cut off.
    isStale.value = readAt.value !== null && Date.now() - readAt.value.getTime() > STALE_MS;
    const result = await readNodes();
    failure.value = result.ok ? null : result.failure;
    isStale.value = !result.ok;
    if (!result.ok) return;
    view.value = result.data;
    readAt.value = new Date();
  };
  useEffect(() => void load(), []);
  useInterval(load, REFRESH_MS);
  const nodes = view.value?.nodes ?? [];
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <p class="hint">
          {texts.refreshed} {readAt.value !== null && <ReadTime at={readAt.value} />}
        </p>
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {view.value === null && failure.value === null && <Skeleton />}
      {isStale.value && readAt.value !== null && (
        <p class="note note-bad" role="alert">
          {texts.stale(CLOCK.format(readAt.value))}
        </p>
      )}
      {view.value !== null && !isStale.value && <Summary view={view.value} />}
      {nodes.length > 0 && !isStale.value && (
        <table class="table nodes">
          <thead>
            <tr>
              <th scope="col">{texts.node}</th>
              <th scope="col">{texts.state}</th>
              <th scope="col">{texts.lag}</th>
              <th scope="col">{texts.version}</th>
              <th scope="col">{texts.featureLevel}</th>
              <th scope="col">{texts.started}</th>
              <th scope="col">{texts.contact}</th>
              <th scope="col">{texts.address}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <NodeRow key={node.name} node={node} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** Shows seconds, which makes stale values visible. */
function ReadTime({ at }: { readonly at: Date }) {
  const machine = at.toISOString();
  return (
    <time dateTime={machine} title={TEXTS.utc(machine.slice(0, 19).replace('T', ' '))}>
      {TEXTS.nodes.readAt(CLOCK.format(at))}
    </time>
  );
}

const isUpToDate = ({ state, lag_entries }: Node): boolean =>
  (state === 'following' || state === 'single') && lag_entries === 0;

function Summary({ view: { nodes, etcd, feature_level: agreed } }: { readonly view: NodesView }) {
  const texts = TEXTS.nodes;
  const versions = [...new Set(nodes.map(({ version }) => version))].sort();
  return (
    <div class="facts">
      <p role="status">{texts.summary(nodes.filter(isUpToDate).length, nodes.length)}</p>
      {versions.length > 1 && <p class="note note-warning">{texts.versions(versions.join(', '))}</p>}
      {agreed === null ? (
        <p class="note note-warning">{texts.levelUnknown}</p>
      ) : nodes.some(({ feature_level }) => feature_level > agreed) ? (
        <p class="note note-warning">
          {texts.levelHeld(
            agreed,
            nodes
              .filter((node) => node.feature_level <= agreed)
              .map(({ name }) => name)
              .join(', '),
          )}
        </p>
      ) : (
        <p class="hint">{texts.level(agreed)}</p>
      )}
      {etcd !== null && (
        <p class="hint">
          {texts.etcd(
            formatBytes(etcd.used),
            formatBytes(etcd.size),
            etcd.quota === null ? null : formatBytes(etcd.quota),
          )}
        </p>
      )}
      {etcd?.is_full && (
        <p class="note note-bad" role="alert">
          {texts.etcdFull}
        </p>
      )}
    </div>
  );
}

function NodeRow({ node }: { readonly node: Node }) {
  const texts = TEXTS.nodes;
  const { name, state, is_self, is_live, applied, lag_entries, lag_seconds, version, started_at, heard_at } = node;
  const tone = isUpToDate(node) ? 'badge badge-good' : state === 'unknown' ? 'badge' : 'badge badge-bad';
  return (
    <tr>
      <th scope="row" class="cell-main">
        {name} {is_self && <span class="badge">{texts.self}</span>}
      </th>
      <td data-label={texts.state}>
        <span class={tone}>{texts.states[state]}</span>
        {!is_live && <span class="hint">{texts.notLive}</span>}
      </td>
      <td data-label={texts.lag} title={applied === null ? undefined : texts.applied(applied)}>
        {texts.behind(lag_entries, lag_seconds)}
      </td>
      <td data-label={texts.version}>{version}</td>
      <td data-label={texts.featureLevel}>{node.feature_level}</td>
      <td data-label={texts.started}>
        {started_at === null ? texts.none : <Time value={started_at} format="relative" />}
      </td>
      <td data-label={texts.contact}>{heard_at === null ? texts.none : <Time value={heard_at} format="relative" />}</td>
      <td data-label={texts.address}>{node.address ?? texts.none}</td>
    </tr>
  );
}
