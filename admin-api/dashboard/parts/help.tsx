/** The list of keyboard shortcuts. The key `?` opens it. */
import { useSignal } from '@preact/signals';
import { Modal } from '../../ui/parts/modal.tsx';
import { TEXTS } from '../texts.ts';
import { shortcuts, useShortcut } from './shortcuts.ts';

export function Help() {
  const texts = TEXTS.help;
  const isOpen = useSignal(false);
  useShortcut('?', texts.open, () => {
    isOpen.value = true;
  });
  const close = (): void => {
    isOpen.value = false;
  };
  if (!isOpen.value) return null;
  return (
    <Modal title={texts.title} onClose={close}>
      <dl class="shortcuts">
        {shortcuts.value.map(({ key, text }) => (
          <div key={`${key} ${text}`}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" class="button" onClick={close}>
          {TEXTS.close}
        </button>
      </div>
    </Modal>
  );
}
