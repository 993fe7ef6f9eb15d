/** The audit of the file that runs without a page, in Rhino 1.7.15. */
import type { AuditContext } from '../context.ts';
import { RULES } from '../rules.ts';
import type { SourceText } from '../source-text.ts';
import { checkDeclarations } from './declarations.ts';
import { checkSyntax } from './syntax.ts';
import { parseTree, type SyntaxTree } from './syntax-tree.ts';

export function auditBackground(source: SourceText, context: AuditContext): void {
  const { findings } = context;
  const tree = parse(source, context);
  if (tree === undefined) return;
  checkSyntax(source.text, tree, (code, offset) =>
    findings.add(code, source.at(offset), `${RULES[code].title.replace('Rhino: ', 'In Rhino 1.7.15 ')}.`),
  );
  checkDeclarations(tree.program, (code, offset, name) =>
    findings.add(code, source.at(offset), `${name}: ${RULES[code].title.replace('Rhino: ', 'in Rhino 1.7.15 ')}.`),
  );
}

function parse(source: SourceText, { findings }: AuditContext): SyntaxTree | undefined {
  try {
    return parseTree(source.text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      const { pos } = error as SyntaxError & { readonly pos?: number };
      findings.add('background_syntax_error', source.at(pos ?? 0), `${error.message.replace(/ \(\d+:\d+\)$/, '')}.`);
    } else if (error instanceof RangeError)
      findings.add('background_too_complex', source.at(0), 'The file is nested too deep for the parser.');
    else throw error;
    return undefined;
  }
}
