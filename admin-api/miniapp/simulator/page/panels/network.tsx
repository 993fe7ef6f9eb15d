/** Network conditions, and the requests of the app. */
import { visible } from '../../../../ui/excerpt.ts';
import type { NetworkEntry } from '../../protocol.ts';
import { ChoiceRow } from '../parts/choice-row.tsx';
import { Clock } from '../parts/clock.tsx';
import { Empty, PanelBar, SmallButton } from '../parts/panel.tsx';
import { command } from '../server.ts';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

export function NetworkPanel() {
  const texts = TEXTS.network;
  const view = topics.network.value;
  if (view === null) return <Empty text={texts.empty} />;
  const { mode, entries } = view;
  return (
    <>
      <PanelBar>
        <ChoiceRow
          label={texts.mode}
          choices={texts.modes}
          value={mode}
          onChoose={(chosen) => void command('networkMode', { mode: chosen })}
        />
        {entries.length > 0 && <SmallButton label={texts.clear} onClick={() => command('clearNetwork', {})} />}
      </PanelBar>
      <p class="hint">{texts.about[mode]}</p>
      {entries.length === 0 ? (
        <Empty text={texts.empty} />
      ) : (
        <ol class="entries" aria-label={TEXTS.panels.names.network}>
          {[...entries].reverse().map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </>
  );
}

function Entry({ entry: { at, method, url, status, error, milliseconds, bytes } }: { readonly entry: NetworkEntry }) {
  const isBad = error !== undefined || (status !== undefined && status >= 400);
  const outcome = error?.code ?? status ?? TEXTS.network.pending;
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="facts-line">
          <span class={`badge ${isBad ? 'badge-bad' : status === undefined ? '' : 'badge-good'}`}>{outcome}</span>
          <strong>{method}</strong>
          <span class="hint">
            <Clock at={at} />
          </span>
          {milliseconds !== undefined && <span class="hint">{TEXTS.milliseconds(milliseconds)}</span>}
          {bytes !== undefined && <span class="hint">{TEXTS.bytes(bytes)}</span>}
        </p>
        <code class="entry-value">{visible(url)}</code>
        {error !== undefined && <p class="hint">{visible(error.message)}</p>}
      </div>
    </li>
  );
}
