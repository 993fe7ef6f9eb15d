/** The phone's device information, and the picture of its camera. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../../../../ui/parts/field.tsx';
import { Labelled } from '../../../../ui/parts/labelled.tsx';
import type { DeviceInfo } from '../../../bridge/operations.ts';
import { SignalChoice } from '../parts/choice-row.tsx';
import { useCommand } from '../parts/use-command.ts';
import { file, source } from '../photo.ts';
import { command } from '../server.ts';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

export function DevicePanel() {
  const device = topics.device.value;
  return (
    <>
      {device !== null && <DeviceForm device={device} />}
      <section class="stack">
        <h2>{TEXTS.device.camera}</h2>
        <SignalChoice label={TEXTS.camera.source} choices={TEXTS.camera.sources} signal={source} />
        {source.value === 'file' && (
          <Labelled
            label={TEXTS.camera.file}
            renderControl={(attributes) => (
              <input
                {...attributes}
                type="file"
                accept="image/*"
                onChange={({ currentTarget }) => {
                  file.value = currentTarget.files?.[0] ?? null;
                }}
              />
            )}
          />
        )}
        <p class="hint">{TEXTS.camera.hint}</p>
      </section>
    </>
  );
}

/** Changes apply at once, as on a phone whose battery drains. */
function DeviceForm({ device }: { readonly device: DeviceInfo }) {
  const texts = TEXTS.device;
  const model = useSignal(device.model);
  const osVersion = useSignal(device.osVersion);
  const battery = useSignal(String(device.batteryLevel));
  const { run, failure, isRunning } = useCommand();
  const sent = useRef(JSON.stringify(device));
  useEffect(() => {
    // Changes during a command are sent after it.
    if (isRunning.value) return;
    const changed = { model: model.value, osVersion: osVersion.value, batteryLevel: Number(battery.value) };
    if (JSON.stringify(changed) === sent.current) return;
    sent.current = JSON.stringify(changed);
    void run(() => command('device', changed));
  }, [model.value, osVersion.value, battery.value, isRunning.value]);
  return (
    <section class="stack">
      <h2>{texts.title}</h2>
      <div class="two-columns">
        <Field label={texts.model} name="model" value={model} autocomplete="off" />
        <Field label={texts.osVersion} name="osVersion" value={osVersion} autocomplete="off" />
      </div>
      <Labelled
        label={texts.batteryLevel(battery.value)}
        fault={failure.value === '' ? undefined : failure.value}
        renderControl={(attributes) => (
          <input
            {...attributes}
            type="range"
            min={0}
            max={100}
            value={battery.value}
            onInput={({ currentTarget }) => {
              battery.value = currentTarget.value;
            }}
          />
        )}
      />
    </section>
  );
}
