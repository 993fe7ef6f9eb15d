/** Deletes the domain of the page. */

import { announce } from '../../ui/parts/announce.tsx';
import type { Domain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import { ConfirmAction } from '../parts/confirm-action.tsx';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';

export function DeleteDomain({ domain }: { readonly domain: Domain }) {
  const texts = TEXTS.deleteDomain;
  const name = toUnicode(domain.domain);
  const remove = async () => {
    const params = { path: { domain_id: domain.id } };
    const result = await settle(api.DELETE('/api/v1/domains/{domain_id}', { params }));
    if (!result.ok) {
      const { failure } = result;
      if (failure.code !== 'dnssec_ds_present') return failure;
      return { ...failure, message: `${failure.message} ${texts.dsPresent}` };
    }
    announce(texts.done(name));
    openPage('domains');
    return null;
  };
  return (
    <section class="card narrow">
      <h2>{texts.title}</h2>
      <p>{texts.explanation(domain.record_count)}</p>
      <ConfirmAction
        open={texts.open}
        title={texts.confirmTitle(name)}
        explanation={texts.explanation(domain.record_count)}
        word={name}
        label={texts.submit}
        run={remove}
      />
    </section>
  );
}
