/** The first page: how to begin, and all operations. */
import { Code } from './code.tsx';
import type { Reference } from './document.ts';
import { Method } from './operation-page.tsx';
import { Prose } from './schema.tsx';
import { TEXTS } from './texts.ts';

const setUpOf = (origin: string): string =>
  [`export WAYPOST_URL=${origin}`, 'export WAYPOST_TOKEN=$(waypost token create --login admin)'].join('\n');

export function Home({ reference }: { readonly reference: Reference }) {
  return (
    <div class="stack home">
      <h1 tabIndex={-1}>{TEXTS.heading}</h1>
      {reference.introduction.split('\n').map((line) => (
        <p key={line} class="lead">
          <Prose text={line} />
        </p>
      ))}
      <section class="card" aria-labelledby="begin">
        <h2 id="begin">{TEXTS.begin}</h2>
        <p>{TEXTS.beginText}</p>
        <Code label={TEXTS.setUp} head={<span>{TEXTS.setUp}</span>} text={setUpOf(location.origin)} />
      </section>
      {reference.groups.map(({ name, description, operations }) => (
        <section key={name} class="card" aria-labelledby={`group-${name}`}>
          <h2 id={`group-${name}`}>{titleOf(name)}</h2>
          <p class="hint">{description}</p>
          <ul class="operations">
            {operations.map(({ operationId, method, path, summary }) => (
              <li key={operationId}>
                <a href={`#${operationId}`}>{summary}</a>
                <span class="endpoint">
                  <Method method={method} /> <code>{path}</code>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Of a tag. */
export const titleOf = (tag: string): string =>
  tag === 'dnssec' ? 'DNSSEC' : tag.slice(0, 1).toUpperCase() + tag.slice(1);
