/** The buttons of a webhook: test, enable or disable, and replace the secret. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Webhook } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { DialogActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useAction } from '../parts/use-action.ts';
import { TEXTS } from '../texts.ts';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onChange: () => unknown;
}

export function WebhookActions({ webhook: { id, enabled }, onChange }: WebhookActionsProps) {
  const texts = TEXTS.webhook;
  const params = { path: { webhook_id: id } };
  const { isRunning, failure, run } = useAction();
  const isRotating = useSignal(false);
  const act = (request: () => Promise<Failure | null>, text: string) => async (): Promise<void> => {
    if (!(await run(request))) return;
    announce(text);
    onChange();
  };
  const sendTest = async (): Promise<Failure | null> => {
    const result = await settle(api.POST('/api/v1/webhooks/{webhook_id}/test', { params }));
    return result.ok ? null : result.failure;
  };
  const toggle = async (): Promise<Failure | null> => {
    const body = { enabled: !enabled };
    const result = await settle(api.PATCH('/api/v1/webhooks/{webhook_id}', { params, body }));
    return result.ok ? null : result.failure;
  };
  return (
    <>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <div class="actions">
        {enabled && (
          <button
            type="button"
            class="button button-main"
            aria-disabled={isRunning.value}
            onClick={act(sendTest, texts.tested)}
          >
            {texts.test}
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-disabled={isRunning.value}
          onClick={act(toggle, enabled ? texts.isDisabled : texts.enabled)}
        >
          {enabled ? texts.disable : texts.enable}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            isRotating.value = true;
          }}
        >
          {texts.rotate}
        </button>
      </div>
      {isRotating.value && (
        <RotateDialog
          id={id}
          onClose={() => {
            isRotating.value = false;
            onChange();
          }}
        />
      )}
    </>
  );
}

/** Confirms the replacement, then shows the new secret once. */
function RotateDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const texts = TEXTS.webhook;
  const secret = useSignal<string | null>(null);
  const { isRunning, failure, run } = useAction();
  const rotate = async (): Promise<Failure | null> => {
    const params = { path: { webhook_id: id } };
    const result = await settle(api.POST('/api/v1/webhooks/{webhook_id}/rotate-secret', { params }));
    if (!result.ok) return result.failure;
    secret.value = result.data.secret;
    return null;
  };
  if (secret.value !== null)
    return (
      <Modal title={texts.newSecret} onClose={onClose}>
        <p class="note note-warning" role="status">
          {TEXTS.addWebhook.once}
        </p>
        <CodeBlock label={TEXTS.addWebhook.secret} text={secret.value} />
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.close}
          </button>
        </div>
      </Modal>
    );
  return (
    <Modal title={texts.rotateTitle} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(rotate);
        }}
      >
        <p>{texts.rotateText}</p>
        {failure.value !== null && <FailureNote failure={failure.value} />}
        <DialogActions label={texts.rotate} isDisabled={isRunning.value} onCancel={onClose} />
      </form>
    </Modal>
  );
}
