/** The camera of the phone, while the app waits for a photo. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useCommand } from '../parts/use-command.ts';
import { file, openCamera, source, takeJpeg } from '../photo.ts';
import { command } from '../server.ts';
import { TEXTS } from '../texts.ts';

export function CameraScreen({ photo }: { readonly photo: number }) {
  const texts = TEXTS.camera;
  const canvas = useRef<HTMLCanvasElement>(null);
  const take = useRef<HTMLButtonElement>(null);
  const fault = useSignal('');
  const isReady = useSignal(false);
  const { run, failure } = useCommand();
  useEffect(() => take.current?.focus(), []);
  useEffect(() => {
    let isOpen = true;
    let release = (): void => {};
    fault.value = '';
    isReady.value = false;
    openCamera(canvas.current!).then(
      (close) => {
        if (!isOpen) return close();
        release = close;
        isReady.value = true;
      },
      (error: Error) => {
        if (isOpen) fault.value = error.message;
      },
    );
    return () => {
      isOpen = false;
      release();
    };
  }, [source.value, file.value]);
  const deliver = (jpeg: string | null): void => void run(() => command('photo', { photo, jpeg }));
  return (
    <div class="camera" role="dialog" aria-label={texts.title}>
      <canvas ref={canvas} role="img" aria-label={texts.preview} hidden={!isReady.value} />
      <p class="camera-fault" role="alert">
        {fault.value || failure.value}
      </p>
      <div class="camera-actions">
        <button type="button" class="button" onClick={() => deliver(null)}>
          {TEXTS.cancel}
        </button>
        <button
          ref={take}
          type="button"
          class="button button-main"
          aria-disabled={!isReady.value}
          onClick={() => {
            if (isReady.value) deliver(takeJpeg(canvas.current!));
          }}
        >
          {texts.take}
        </button>
      </div>
    </div>
  );
}
