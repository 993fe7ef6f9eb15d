/** A content security policy in markup (CSP Level 3): what of it would let code in. */

/** Directives that say where code comes from; `default-src` where they are missing. */
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
const MADE_OF_TEXT = new Set(["'unsafe-eval'", "'wasm-unsafe-eval'", "'unsafe-hashes'"]);
const OWN = new Set(["'self'", "'none'", "'strict-dynamic'", "'report-sample'", "'unsafe-inline'"]);

/** What loosens it, as it is written; `isInline`: it is no more than 'unsafe-inline'. */
export function loosened(policy: string): { readonly text: string; readonly isInline: boolean }[] {
  const found: { text: string; isInline: boolean }[] = [];
  for (const directive of policy.split(/[;,]/)) {
    const [name, ...sources] = directive.trim().toLowerCase().split(/\s+/);
    if (!CODE.has(name)) continue;
    for (const source of sources) {
      const isInline = source === "'unsafe-inline'";
      const isKey = source.startsWith("'nonce-") || /^'sha(?:256|384|512)-/.test(source);
      if (MADE_OF_TEXT.has(source) || isInline || !(OWN.has(source) || isKey))
        found.push({ text: `${name} ${source}`, isInline });
    }
  }
  return found;
}
