/** Finds sources in a content security policy in markup (CSP Level 3) that allow code. */

/** Directives for sources of code, with `default-src` as the fallback. */
const CODE = new Set([
  'default-src',
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'worker-src',
  'child-src',
  'frame-src',
  'object-src',
]);
const CODE_FROM_TEXT = new Set(["'unsafe-eval'", "'wasm-unsafe-eval'", "'unsafe-hashes'"]);
const LOCAL_KEYWORDS = new Set(["'self'", "'none'", "'strict-dynamic'", "'report-sample'", "'unsafe-inline'"]);

/**
 * Returns sources that loosen the policy, in lower case. `isInline`: the source is 'unsafe-inline'.
 */
export function loosened(policy: string): { readonly text: string; readonly isInline: boolean }[] {
  const found: { text: string; isInline: boolean }[] = [];
  for (const directive of policy.split(/[;,]/)) {
    const [name, ...sources] = directive.trim().toLowerCase().split(/\s+/);
    if (!CODE.has(name)) continue;
    for (const source of sources) {
      const isInline = source === "'unsafe-inline'";
      const isKey = source.startsWith("'nonce-") || /^'sha(?:256|384|512)-/.test(source);
      if (CODE_FROM_TEXT.has(source) || isInline || !(LOCAL_KEYWORDS.has(source) || isKey))
        found.push({ text: `${name} ${source}`, isInline });
    }
  }
  return found;
}
