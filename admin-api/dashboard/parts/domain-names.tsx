/** Shows the names of domains, given their ids. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import { TEXTS } from '../texts.ts';

/** Maximum number of names. Further domains are only counted. */
const SHOWN = 3;

/** Cached names by id. Null: the domain was deleted. */
const names = new Map<number, Promise<string | null>>();

function readName(id: number): Promise<string | null> {
  let name = names.get(id);
  if (name === undefined) {
    const params = { path: { domain_id: id } };
    name = settle(api.GET('/api/v1/domains/{domain_id}', { params })).then((result) => {
      if (result.ok) return result.data.domain.domain;
      if (result.failure.status !== 404) names.delete(id);
      return null;
    });
    names.set(id, name);
  }
  return name;
}

export function DomainNames({ ids }: { readonly ids: readonly number[] }) {
  const texts = TEXTS.domainPicker;
  const shown = useSignal<readonly { readonly id: number; readonly name: string | null }[] | null>(null);
  const first = ids.slice(0, SHOWN);
  useEffect(() => {
    void Promise.all(first.map(async (id) => ({ id, name: await readName(id) }))).then((read) => {
      shown.value = read;
    });
  }, [ids.join()]);
  if (shown.value === null) return <>{texts.count(ids.length)}</>;
  return (
    <>
      {shown.value.map(({ id, name }, i) => (
        <span key={id}>
          {i > 0 && ', '}
          {name === null ? texts.deleted : <a href={addressOf('records', { domain_id: id })}>{toUnicode(name)}</a>}
        </span>
      ))}
      {ids.length > SHOWN && ` ${texts.others(ids.length - SHOWN)}`}
    </>
  );
}
