/** Shows new recovery codes. They cannot be shown again. */
import { CopyButton } from '../parts/copy-button.tsx';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.ownAccount.recovery;

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const download = (): void => {
    const text = texts.file(session.value?.user.username ?? '', codes);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = texts.fileName;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div class="form">
      <p class="note note-warning">{texts.text}</p>
      <ul class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button button-main" onClick={onDone}>
          {texts.done}
        </button>
        <button type="button" class="button" onClick={download}>
          {texts.download}
        </button>
        <CopyButton text={codes.join('\n')} label={texts.copy} />
      </div>
    </div>
  );
}
