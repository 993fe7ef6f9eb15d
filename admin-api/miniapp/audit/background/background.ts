/** Audits the background file, which runs without a page in Rhino 1.7.15. */
import type { AuditContext } from '../context.ts';
import { RULES } from '../rules.ts';
import type { SourceText } from '../source-text.ts';
import { checkDeclarations, type DeclarationCode } from './declarations.ts';
import { checkNames } from './names.ts';
import { checkSyntax, type RhinoSyntaxCode } from './syntax.ts';
import { parseTree, type SyntaxTree } from './syntax-tree.ts';

export function auditBackground(source: SourceText, context: AuditContext): void {
  const { findings } = context;
  try {
    audit(parseTree(source.text), source, context);
  } catch (error) {
    if (error instanceof RangeError || (error instanceof SyntaxError && error.message.startsWith('Not enough stack')))
      findings.add('background_too_complex', source.at(0), 'The file is nested too deep to be audited.');
    else if (error instanceof SyntaxError) {
      const { pos } = error as SyntaxError & { readonly pos?: number };
      findings.add('background_syntax_error', source.at(pos ?? 0), `${error.message.replace(/ \(\d+:\d+\)$/, '')}.`);
    } else throw error;
  }
}

function audit(tree: SyntaxTree, source: SourceText, context: AuditContext): void {
  const report = (code: RhinoSyntaxCode | DeclarationCode, offset: number, name?: string): void => {
    const what = RULES[code].title.replace('Rhino: ', 'in Rhino 1.7.15 ');
    context.findings.add(code, source.at(offset), name === undefined ? `I${what.slice(1)}.` : `${name}: ${what}.`);
  };
  checkSyntax(source.text, tree, report);
  checkDeclarations(tree.program, report);
  checkNames(tree, source, context);
}
