/** The phone: a status bar, the app in its sandbox, and what the system shows above the app. */

import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { visible } from '../../../../ui/excerpt.ts';
import { type PromptAnswer, type PromptView, SANDBOX } from '../../protocol.ts';
import { useCommand } from '../parts/use-command.ts';
import { frameNumber, setFrame } from '../relay.ts';
import { command } from '../server.ts';
import { scheme } from '../settings.ts';
import { toasts, topics, vibration } from '../state.ts';
import { TEXTS } from '../texts.ts';
import { trouble } from '../watch-app.ts';
import { CameraScreen } from './camera-screen.tsx';
import { TroubleSheet } from './trouble-sheet.tsx';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const TICK_MS = 5000;

/** Height in pixels of the app. */
export const STATUS_BAR = 28;

interface PhoneProps {
  readonly screen: { readonly width: number; readonly height: number };
  readonly scale: number;
}

export function Phone({ screen, scale }: PhoneProps) {
  const prompt = topics.prompts.value?.[0];
  const photo = topics.photos.value?.[0];
  const isBusy = prompt !== undefined || photo !== undefined;
  return (
    <div
      class={`phone phone-${scheme.value} ${vibration.value > 0 ? 'phone-vibrates' : ''}`}
      style={{ transform: `scale(${scale})` }}
    >
      <StatusBar />
      <div class="phone-screen" style={{ width: `${screen.width}px`, height: `${screen.height}px` }}>
        <AppFrame isInert={isBusy} />
        <div class="phone-messages" role="status">
          {vibration.value > 0 && <p class="vibration">{TEXTS.phone.vibrates(vibration.value)}</p>}
          {toasts.value.map(({ id, text }) => (
            <p key={id} class="toast">
              {visible(text)}
            </p>
          ))}
        </div>
        {trouble.value !== null && <TroubleSheet trouble={trouble.value} />}
        {photo !== undefined && <CameraScreen key={photo} photo={photo} />}
        {prompt !== undefined && <PromptSheet key={prompt.id} prompt={prompt} />}
      </div>
    </div>
  );
}

/**
 * `color-scheme` of the frame is what `prefers-color-scheme` is in the app. The sandbox is here and
 * in the headers of the app's server: either is enough.
 */
function AppFrame({ isInert }: { readonly isInert: boolean }) {
  const view = topics.package.value;
  const host = topics.host.value;
  // Only an app that hangs can continue.
  if (trouble.value !== null && trouble.value !== 'hangs') return null;
  if (view?.app == null || host === null || frameNumber.value === 0)
    return <p class="phone-empty">{TEXTS.phone.empty}</p>;
  return (
    <iframe
      key={frameNumber.value}
      ref={setFrame}
      title={TEXTS.phone.frame(visible(view.app.name))}
      src={`${host.appOrigin}/index.html`}
      sandbox={SANDBOX}
      allow=""
      referrerpolicy="no-referrer"
      style={{ colorScheme: scheme.value }}
      inert={isInert}
    />
  );
}

/** The status bar of the phone: time, network, battery. */
function StatusBar() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const mode = topics.network.value?.mode ?? 'online';
  const battery = topics.device.value?.batteryLevel;
  return (
    <div class="status-bar">
      <span>{CLOCK.format(now.value + (topics.background.value?.clockOffset ?? 0))}</span>
      <span>
        {mode !== 'online' && TEXTS.network.modes[mode]} {battery !== undefined && TEXTS.phone.battery(battery)}
      </span>
    </div>
  );
}

/** The system asks the user for a permission. */
function PromptSheet({ prompt: { id, permission } }: { readonly prompt: PromptView }) {
  const texts = TEXTS.prompt;
  const title = useId();
  const first = useRef<HTMLButtonElement>(null);
  const { run, failure } = useCommand();
  useEffect(() => {
    const before = document.activeElement;
    first.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const answer = (given: PromptAnswer) => () => void run(() => command('answer', { prompt: id, answer: given }));
  const name = visible(topics.package.value?.app?.name ?? '');
  return (
    <div class="cover">
      <div class="sheet" role="alertdialog" aria-labelledby={title}>
        <h2 id={title}>{texts.title(name, texts.uses[permission] ?? permission)}</h2>
        <code>{permission}</code>
        {failure.value !== '' && <p class="fault">{failure.value}</p>}
        <div class="sheet-actions">
          <button ref={first} type="button" class="button button-main" onClick={answer('granted')}>
            {texts.grant}
          </button>
          <button type="button" class="button" onClick={answer('denied')}>
            {texts.deny}
          </button>
          <button type="button" class="button" onClick={answer('denied_forever')}>
            {texts.never}
          </button>
        </div>
      </div>
    </div>
  );
}
