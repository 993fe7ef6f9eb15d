/** Shows the state of log delivery on each node, and tests the receiver. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import type { LogsNodeState } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { PausedNote } from '../parts/paused-note.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import { useInterval } from '../parts/use-interval.ts';
import { useResource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';

const PATH = '/api/v1/domains/{domain_id}/proxy/logs';
const REFRESH_MS = 5000;

interface LogsStateProps {
  readonly domainId: number;
  readonly isEnabled: boolean;
}

export function LogsState({ domainId, isEnabled }: LogsStateProps) {
  const texts = TEXTS.logs;
  if (isEnabled) return <Delivery domainId={domainId} />;
  return (
    <section class="card">
      <h2>{texts.state}</h2>
      <p>{texts.off}</p>
      <p class="hint">{texts.offHint}</p>
    </section>
  );
}

function Delivery({ domainId }: { readonly domainId: number }) {
  const texts = TEXTS.logs;
  const params = { path: { domain_id: domainId } };
  const { value, failure, load } = useResource(() => settle(api.GET(`${PATH}/state`, { params })));
  useInterval(load, REFRESH_MS);
  return (
    <section class="card">
      <h2>{texts.state}</h2>
      <PausedNote />
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {value.value !== null && value.value.missing_nodes.length > 0 && (
        <p class="note note-warning">{texts.missing(value.value.missing_nodes.join(', '))}</p>
      )}
      <ul class="exposed">
        {value.value?.nodes.map((node) => (
          <NodeItem key={node.node} node={node} />
        ))}
      </ul>
      <TestLine domainId={domainId} onTested={load} />
    </section>
  );
}

const TONES = { good: 'badge badge-good', quiet: 'badge badge-quiet', bad: 'badge badge-bad' } as const;

function toneOf({ failures, delivered_lines }: LogsNodeState): keyof typeof TONES {
  if (failures > 0) return 'bad';
  return delivered_lines > 0 ? 'good' : 'quiet';
}

function NodeItem({ node }: { readonly node: LogsNodeState }) {
  const texts = TEXTS.logs;
  const { last_delivered_at: deliveredAt, last_error_at: errorAt, last_error: error } = node;
  const tone = toneOf(node);
  return (
    <li>
      <p>
        <span class={TONES[tone]}>{texts.nodeStates[tone]}</span> <strong>{node.node}</strong>
      </p>
      <p class="hint">
        {texts.delivered(node.delivered_lines, node.delivered_batches)}, {texts.waiting(node.waiting_lines)},{' '}
        {texts.dropped(node.dropped_lines)}
      </p>
      {deliveredAt !== null && (
        <p class="hint">
          {texts.lastDelivered} <Time value={deliveredAt} format="relative" />
        </p>
      )}
      {errorAt !== null && (
        <p class="hint">
          {texts.lastError} <Time value={errorAt} format="relative" />
          {error !== null && `: ${error}`}
        </p>
      )}
    </li>
  );
}

interface TestLineProps {
  readonly domainId: number;
  readonly onTested: () => unknown;
}

function TestLine({ domainId, onTested }: TestLineProps) {
  const texts = TEXTS.logs;
  const result = useSignal<{ readonly isDelivered: boolean; readonly text: string } | null>(null);
  const { isRunning, failure, run } = useAction();
  const send = async (): Promise<Failure | null> => {
    result.value = null;
    const params = { path: { domain_id: domainId } };
    const sent = await settle(api.POST(`${PATH}/test`, { params }));
    if (!sent.ok) return sent.failure;
    const { delivered, error, duration_ms: ms } = sent.data;
    const text = delivered ? texts.testDelivered(ms) : texts.testFailed(error ?? '');
    result.value = { isDelivered: delivered, text };
    announce(text);
    onTested();
    return null;
  };
  return (
    <>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {result.value !== null && (
        <p class={result.value.isDelivered ? 'note note-good' : 'note note-bad'}>{result.value.text}</p>
      )}
      <div class="actions">
        <button type="button" class="button" aria-disabled={isRunning.value} onClick={() => run(send)}>
          {texts.test}
        </button>
      </div>
    </>
  );
}
