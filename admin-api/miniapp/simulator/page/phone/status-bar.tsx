/** The status bar of the phone: time, network, battery. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const TICK_MS = 5000;

export function StatusBar() {
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
