/** The expressions of config/monitoring, for tests. */

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
