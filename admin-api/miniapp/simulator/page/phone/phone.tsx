/** The phone: a status bar, the app in its sandbox, and what the system shows above the app. */
import { visible } from '../../../../ui/excerpt.ts';
import { SANDBOX } from '../../protocol.ts';
import { frameNumber, setFrame } from '../relay.ts';
import { scheme } from '../settings.ts';
import { toasts, topics, vibration } from '../state.ts';
import { TEXTS } from '../texts.ts';
import { trouble } from '../watch-app.ts';
import { CameraScreen } from './camera-screen.tsx';
import { PromptSheet } from './prompt-sheet.tsx';
import { StatusBar } from './status-bar.tsx';
import { TroubleSheet } from './trouble-sheet.tsx';

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
