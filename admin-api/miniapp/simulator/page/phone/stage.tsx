/** The phone with its controls. It is made smaller where the window has no room for it. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../../../ui/parts/icon-button.tsx';
import { SignalChoice } from '../parts/choice-row.tsx';
import { command } from '../server.ts';
import { orientation, scheme, screenSize, size } from '../settings.ts';
import { TEXTS } from '../texts.ts';
import { Phone, STATUS_BAR } from './phone.tsx';

/** Border of the phone on both sides, in pixels. */
const BORDERS = 16;
/** Below the phone in the window, with its size. */
const BELOW = 60;
const LEAST_HEIGHT = 480;
const SMALLEST_SCALE = 0.2;

export function Stage() {
  const texts = TEXTS.phone;
  const stage = useRef<HTMLDivElement>(null);
  const room = useSignal({ width: 0, height: 0 });
  useEffect(() => {
    const measure = (): void => {
      const { width, top } = stage.current!.getBoundingClientRect();
      room.value = { width, height: Math.max(innerHeight - top - scrollY - BELOW, LEAST_HEIGHT) };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(stage.current!);
    addEventListener('resize', measure);
    measure();
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
    };
  }, []);
  const screen = screenSize();
  const outer = { width: screen.width + BORDERS, height: screen.height + STATUS_BAR + BORDERS };
  const fit = Math.min(1, room.value.width / outer.width, room.value.height / outer.height);
  const scale = Math.max(fit, SMALLEST_SCALE);
  return (
    <section class="stage" aria-label={texts.label}>
      <div class="stage-tools">
        <SignalChoice label={texts.size} choices={texts.sizes} signal={size} />
        <SignalChoice label={texts.scheme} choices={texts.schemes} signal={scheme} />
        <div class="actions">
          <IconButton
            icon="rotate"
            label={texts.rotate}
            onClick={() => {
              orientation.value = orientation.value === 'portrait' ? 'landscape' : 'portrait';
            }}
          />
          <IconButton icon="reload" label={texts.reload} onClick={() => void command('reload', {})} />
        </div>
      </div>
      <div class="stage-room" ref={stage}>
        <div class="stage-box" style={{ width: `${outer.width * scale}px`, height: `${outer.height * scale}px` }}>
          <Phone screen={screen} scale={scale} />
        </div>
      </div>
      <p class="hint stage-size">{texts.dimensions(screen.width, screen.height, scale)}</p>
    </section>
  );
}
