/** Shows which of the selected domains get another state of the proxy, before it is done. */
import { Modal } from '../../ui/parts/modal.tsx';
import type { ListedDomain } from '../api/views.ts';
import { toUnicode } from '../names.ts';
import { DiffEntry } from '../parts/diff-entry.tsx';
import { DialogActions } from '../parts/form-actions.tsx';
import { TEXTS } from '../texts.ts';

/** Domains that are listed. */
const LISTED = 200;

interface ProxyPreviewProps {
  readonly enable: boolean;
  readonly selected: readonly ListedDomain[];
  readonly run: (changed: readonly ListedDomain[]) => void;
  readonly onClose: () => void;
}

export function ProxyPreview({ enable, selected, run, onClose }: ProxyPreviewProps) {
  const texts = TEXTS.bulk;
  const changed = selected.filter(({ proxy_enabled: isOn }) => isOn !== enable);
  const same = selected.length - changed.length;
  const lineOf = (domain: string, isOn: boolean): string =>
    `${toUnicode(domain)}\t${isOn ? TEXTS.history.proxy.on : TEXTS.history.proxy.off}`;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (changed.length > 0) run(changed);
  };
  return (
    <Modal title={enable ? texts.proxyOnTitle : texts.proxyOffTitle} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {changed.length > 0 && (
          <>
            <p>{enable ? texts.proxyOnText : texts.proxyOffText}</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard */}
            <ul class="diff" tabIndex={0} aria-label={TEXTS.saving.diff}>
              {changed.slice(0, LISTED).map(({ id, domain }) => (
                <DiffEntry key={id} before={lineOf(domain, !enable)} after={lineOf(domain, enable)} />
              ))}
            </ul>
          </>
        )}
        {changed.length > LISTED && <p class="hint">{TEXTS.records.preview.more(changed.length - LISTED)}</p>}
        {same > 0 && <p class="hint">{texts.proxySame(same)}</p>}
        <DialogActions label={texts.proxySubmit(changed.length)} isDisabled={changed.length === 0} onCancel={onClose} />
      </form>
    </Modal>
  );
}
