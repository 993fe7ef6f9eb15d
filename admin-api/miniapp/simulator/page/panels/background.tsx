/** Background tasks: what is scheduled, the clock of the phone, and events with their outcomes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visible } from '../../../../ui/excerpt.ts';
import type { BackgroundView, RunView, TaskView } from '../../protocol.ts';
import { Clock } from '../parts/clock.tsx';
import { Empty, PanelBar, SmallButton } from '../parts/panel.tsx';
import { useCommand } from '../parts/use-command.ts';
import { command } from '../server.ts';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

const TICK_MS = 1000;

export function BackgroundPanel() {
  const texts = TEXTS.background;
  const view = topics.background.value;
  const { run, failure } = useCommand();
  if (view === null) return <Empty text={texts.noTasks} />;
  return (
    <>
      <ClockBar view={view} onMove={(ms) => run(() => command('moveClock', { ms }))} />
      {failure.value !== '' && <p class="note note-bad">{failure.value}</p>}
      <section class="stack">
        <h2>{texts.tasks}</h2>
        {view.tasks.length === 0 ? (
          <p class="hint">{view.hasFile ? texts.noTasks : texts.noFile}</p>
        ) : (
          <ul class="entries">
            {view.tasks.map((task) => (
              <Task
                key={task.taskId}
                task={task}
                onRun={() => run(() => command('runTask', { taskId: task.taskId }))}
                onCancel={() => run(() => command('cancelTask', { taskId: task.taskId }))}
              />
            ))}
          </ul>
        )}
      </section>
      <section class="stack">
        <PanelBar>
          <h2>{texts.runs}</h2>
          {topics.host.value !== null && <span class="hint">{texts.engine(topics.host.value.engine)}</span>}
          {view.hasFile && <SmallButton label={texts.send} onClick={() => run(() => command('sendEvent', {}))} />}
        </PanelBar>
        {view.runs.length === 0 ? (
          <p class="hint">{texts.noRuns}</p>
        ) : (
          <ol class="entries" aria-label={texts.runs}>
            {[...view.runs].reverse().map((entry) => (
              <Run key={entry.id} run={entry} />
            ))}
          </ol>
        )}
      </section>
    </>
  );
}

interface ClockBarProps {
  readonly view: BackgroundView;
  readonly onMove: (ms: number) => unknown;
}

function ClockBar({ view: { clockOffset }, onMove }: ClockBarProps) {
  const texts = TEXTS.background;
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <PanelBar>
      <p>
        {texts.clock} <Clock at={now.value + clockOffset} />{' '}
        {clockOffset > 0 && <span class="hint">{texts.ahead(clockOffset)}</span>}
      </p>
      {texts.moves.map(({ label, description, ms }) => (
        <SmallButton key={ms} label={label} description={description} onClick={() => onMove(ms)} />
      ))}
    </PanelBar>
  );
}

interface TaskProps {
  readonly task: TaskView;
  readonly onRun: () => unknown;
  readonly onCancel: () => unknown;
}

function Task({ task: { taskId, dueAt, attempts, isRunning }, onRun, onCancel }: TaskProps) {
  const texts = TEXTS.background;
  const name = visible(taskId);
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="facts-line">
          <code class="entry-key">{name}</code>
          {isRunning && <span class="badge">{texts.running}</span>}
          {attempts > 0 && <span class="hint">{texts.attempts(attempts)}</span>}
        </p>
        <p class="hint">
          {texts.due} <Clock at={dueAt} isFull />
        </p>
      </div>
      <div class="entry-actions">
        <SmallButton label={texts.runNow} description={`${texts.runNow}: ${name}`} onClick={onRun} />
        <SmallButton label={TEXTS.cancel} description={`${TEXTS.cancel}: ${name}`} onClick={onCancel} />
      </div>
    </li>
  );
}

function Run({ run: { taskId, at, milliseconds, outcome, retryAt, lines, omittedCalls } }: { readonly run: RunView }) {
  const texts = TEXTS.background;
  return (
    <li class="entry entry-tall">
      <div class="entry-text">
        <p class="facts-line">
          <span class={`badge ${outcome === 'finished' ? 'badge-good' : 'badge-bad'}`}>{texts.outcomes[outcome]}</span>
          {taskId === '' ? <span>{texts.sent}</span> : <code class="entry-key">{visible(taskId)}</code>}
          <span class="hint">
            <Clock at={at} />
          </span>
          <span class="hint">{TEXTS.milliseconds(Math.round(milliseconds))}</span>
          {retryAt !== null && (
            <span class="hint">
              {texts.retry} <Clock at={retryAt} />
            </span>
          )}
        </p>
        {lines.length > 0 && (
          <pre class="excerpt">
            <code>{lines.map((line) => line.split('\n').map(visible).join('\n')).join('\n')}</code>
          </pre>
        )}
        {omittedCalls > 0 && <p class="hint">{texts.omitted(omittedCalls)}</p>}
      </div>
    </li>
  );
}
