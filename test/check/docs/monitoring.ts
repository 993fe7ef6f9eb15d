/** The metrics of docs/monitoring.md and the expressions of config/monitoring, for tests. */
import { inlineCode, readPage } from './pages.ts';

/** Each metric that docs/monitoring.md names below "## Metrics", and its kind there. */
export function documentedMetrics(): Map<string, string> {
  const { prose } = readPage('docs/monitoring.md');
  const section = prose.slice(prose.findIndex(({ text }) => text === '## Metrics'));
  const namesIn = (lines: typeof prose): string[] =>
    inlineCode(lines).flatMap(({ code }) => /^(?:waypost|process|nodejs)_\w*[a-z0-9]$/.exec(code) ?? []);
  const histograms = new Set(namesIn(section.slice(section.findIndex(({ text }) => text === '### Histograms'))));
  const kindOf = (name: string): string =>
    histograms.has(name) ? 'histogram' : name.endsWith('_total') ? 'counter' : 'gauge';
  return new Map(namesIn(section).map((name) => [name, kindOf(name)]));
}

/** Each expression of a dashboard of Grafana, with its variables. */
export function dashboardExpressions(json: string): string[] {
  const { panels, annotations } = JSON.parse(json) as {
    panels: readonly { targets?: readonly { expr: string }[] }[];
    annotations: { list: readonly { expr?: string }[] };
  };
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...annotations.list.flatMap(({ expr }) => expr ?? []),
  ];
}

/** Each `expr: |-` of a file of rules. */
export function ruleExpressions(yaml: string): string[] {
  return [...yaml.matchAll(/^( *)expr: \|-\n((?:\1 {2}.*\n)+)/gm)].map(([, , text]) =>
    text.replace(/\s+/g, ' ').trim(),
  );
}

/** The metrics of an expression of PromQL, without the suffixes of a histogram's series. */
export function metricsOf(expression: string): string[] {
  const bare = expression.replace(/"[^"]*"/g, '""').replace(/\binstance:[\w:]+/g, '');
  return (bare.match(/\b(?:waypost|process|nodejs)_\w+/g) ?? []).map((name) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );
}
