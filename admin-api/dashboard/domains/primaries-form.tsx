/** Changes the primaries of a secondary zone and their TSIG key. */
import { announce } from '../../ui/parts/announce.tsx';
import type { Domain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import {
  PRIMARIES_POINTERS,
  PrimariesFields,
  type PrimariesPointer,
  readPrimaries,
  usePrimaries,
} from './primaries-fields.tsx';

interface PrimariesFormProps {
  readonly domainId: number;
  readonly primaries: NonNullable<Domain['primaries']>;
  readonly reload: () => void;
}

/** Whether the form can show the primaries: they share a key, and use no TLS. */
export const canShow = (primaries: PrimariesFormProps['primaries']): boolean =>
  primaries.every(({ tls, tsig_key_id: key }) => tls === null && key === primaries[0].tsig_key_id);

export function PrimariesForm({ domainId, primaries, reload }: PrimariesFormProps) {
  const texts = TEXTS.secondary;
  const key = primaries[0]?.tsig_key_id ?? null;
  const draft = usePrimaries(primaries.map(({ address }) => address).join(', '), key === null ? '' : String(key));
  const { isRunning, otherFailure, faultOf, submit } = useForm<PrimariesPointer>(PRIMARIES_POINTERS, async () => {
    const read = await readPrimaries(draft);
    if (!read.ok) return read.failure;
    const params = { path: { domain_id: domainId } };
    const body = { primaries: read.data };
    const result = await settle(api.PUT('/api/v1/domains/{domain_id}/primaries', { params, body }));
    if (!result.ok) return result.failure;
    announce(texts.changed);
    reload();
    return null;
  });
  return (
    <details>
      <summary>{texts.change}</summary>
      <form class="form" onSubmit={submit}>
        {otherFailure !== null && <FailureNote failure={otherFailure} />}
        <PrimariesFields draft={draft} faultOf={faultOf} />
        <div class="actions">
          <button type="submit" class="button" aria-disabled={isRunning.value}>
            {texts.save}
          </button>
        </div>
      </form>
    </details>
  );
}
