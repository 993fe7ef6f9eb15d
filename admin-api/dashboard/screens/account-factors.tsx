/** The second factors of an account, for administrators. */

import { announce } from '../../ui/parts/announce.tsx';
import type { Account } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { ConfirmAction } from '../parts/confirm-action.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useResource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.account;

export function SecondFactors({ account: { id, username } }: { readonly account: Account }) {
  const options = { params: { path: { account_id: id } } };
  const { value, failure, load } = useResource(() =>
    settle(api.GET('/api/v1/accounts/{account_id}/second-factors', options)),
  );
  const remove = async (): Promise<Failure | null> => {
    const result = await settle(api.DELETE('/api/v1/accounts/{account_id}/second-factors', options));
    if (!result.ok) return result.failure;
    announce(texts.factorsRemoved);
    await load();
    return null;
  };
  const factors = value.value;
  const hasSome = factors !== null && (factors.totp_enabled || factors.passkey_count > 0);
  return (
    <section class="card">
      <h2>{texts.factors}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {factors !== null && <p>{texts.factorsText(factors.totp_enabled, factors.passkey_count)}</p>}
      {hasSome && (
        <ConfirmAction
          open={texts.removeFactors}
          title={texts.removeFactors}
          explanation={texts.removeFactorsText}
          word={username}
          label={texts.removeFactors}
          run={remove}
        />
      )}
    </section>
  );
}
