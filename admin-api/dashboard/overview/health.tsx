/** Whether all is right: one sentence, what needs attention, and the states in numbers. */
import { Icon } from '../../ui/parts/icon.tsx';
import { addressOf, type PageName } from '../addresses.ts';
import type { Overview } from '../api/views.ts';
import { toUnicode } from '../names.ts';
import { formatCount } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

type Problem = Overview['problems'][number];

/** The page that has the means against a problem. */
const PAGE_OF: Readonly<Record<Problem['kind'], PageName>> = {
  delegation: 'setUp',
  dnssec: 'dnssec',
  certificate: 'proxy',
  origin: 'origins',
  transfer: 'records',
};

export function Health({ overview }: { readonly overview: Overview }) {
  const texts = TEXTS.overview;
  const { problems, problem_count: count, is_complete: isComplete, checked, domains } = overview;
  const { unknown } = overview.delegation;
  const isGood = count === 0;
  const good = unknown === 0 ? texts.allRight : texts.noneFound;
  const checks = unknown === 0 ? texts.checked(domains) : texts.unknown(unknown, domains);
  return (
    <section class="card health" aria-labelledby="health">
      <div class={isGood ? 'health-head health-good' : 'health-head health-bad'}>
        <span class="health-sign">
          <Icon name={isGood ? 'check' : 'warning'} />
        </span>
        <div>
          <h2 id="health">{isGood ? good : texts.attention(count)}</h2>
          <p class="hint">{isComplete ? checks : texts.checking(checked, domains)}</p>
        </div>
      </div>
      {problems.length > 0 && (
        <ul class="entries">
          {problems.map(({ domain_id: id, domain, kind, message }) => (
            <li key={`${id} ${kind}`}>
              <span class="badge badge-bad">{texts.kinds[kind]}</span>
              <a href={addressOf(PAGE_OF[kind], { domain_id: id })}>{toUnicode(domain)}</a>
              <p>{message}</p>
            </li>
          ))}
        </ul>
      )}
      {count > problems.length && <p class="hint">{texts.more(count - problems.length)}</p>}
      <ul class="states">
        <Share name={texts.delegated} part={overview.delegation.live} whole={checked} />
        <Share name={texts.signed} part={overview.signed} whole={checked} />
        <Share name={texts.proxied} part={overview.proxied} whole={checked} />
        <Share name={texts.certified} part={overview.certificates} whole={overview.proxied} />
      </ul>
    </section>
  );
}

interface ShareProps {
  readonly name: string;
  readonly part: number;
  readonly whole: number;
}

function Share({ name, part, whole }: ShareProps) {
  return (
    <li>
      <span class="hint">{name}</span>
      <span>
        <b>{formatCount(part)}</b> <span class="hint">{TEXTS.overview.of(whole)}</span>
      </span>
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${whole === 0 ? 0 : (100 * part) / whole}%` }} />
      </span>
    </li>
  );
}
