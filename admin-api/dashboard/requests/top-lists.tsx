/** The most frequent values of the shown requests, each a filter, and how long the origin takes. */
import { isNarrow } from '../parts/screen-size.ts';
import { TEXTS } from '../texts.ts';
import {
  FACETS,
  type Facet,
  originTimes,
  PERCENTILES,
  type RequestFilter,
  type RequestRow,
  topValues,
} from './request-filter.ts';

interface TopListsProps {
  readonly rows: readonly RequestRow[];
  readonly filter: RequestFilter;
  /** Sets the filter of a value, or ends it with an empty one. */
  readonly choose: (facet: Facet, value: string) => void;
}

export function TopLists({ rows, filter, choose }: TopListsProps) {
  const texts = TEXTS.requests;
  const times = originTimes(rows);
  return (
    <details class="card top-lists" open={!isNarrow.value}>
      <summary>{texts.top}</summary>
      <div class="top-columns">
        {FACETS.map((facet) => (
          <section key={facet} aria-label={texts.facets[facet]}>
            <h2>{texts.facets[facet]}</h2>
            <ul>
              {topValues(rows, facet).map(([value, count]) => (
                <li key={value} class="top-row">
                  <button
                    type="button"
                    class="top-value"
                    aria-pressed={filter[facet] === value}
                    title={value}
                    onClick={() => choose(facet, filter[facet] === value ? '' : value)}
                  >
                    {value}
                  </button>
                  <span class="hint">{count.toLocaleString('en')}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <section aria-label={texts.originTime}>
          <h2>{texts.originTime}</h2>
          {times === null ? (
            <p class="hint">{texts.noOriginTime}</p>
          ) : (
            <dl>
              {PERCENTILES.map((percent, i) => (
                <div key={percent} class="top-row">
                  <dt>{texts.percentile(percent)}</dt>
                  <dd>{texts.milliseconds(times[i])}</dd>
                </div>
              ))}
            </dl>
          )}
        </section>
      </div>
    </details>
  );
}
