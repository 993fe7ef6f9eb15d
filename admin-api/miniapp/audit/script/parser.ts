/**
 * acorn with faster paths. Names of a scope are in a set: acorn searches a list at each
 * declaration, which takes minutes for a scope of 100,000 names. Nodes have classes of our own.
 * Tokens and most expressions have shorter code. A test compares trees and errors with acorn's.
 *
 * package.json names one exact version of acorn: the methods that are replaced here are not part of
 * its documented interface, so any release may change them. After an update run
 * test/admin-api/miniapp/audit/script/parser.test.ts at full depth.
 */
import { type Options, Parser, type Program } from 'acorn';
import { expressionMethods } from './parser-expressions.ts';
import { type Methods, Names, type OpenNode, ParserScope, type Parts, Words } from './parser-parts.ts';
import { tokenMethods } from './parser-tokens.ts';
import { NameNode, SyntaxNode } from './syntax-node.ts';

const parsed = new Map<string, Words>();

/** `source`: `^(?:break|case)$` */
function wordsOf({ source }: { readonly source: string }): Words {
  let words = parsed.get(source);
  if (words === undefined) {
    words = new Words(source.slice('^(?:'.length, -')$'.length).split('|'));
    parsed.set(source, words);
  }
  return words;
}

const WORD_SETS = ['keywords', 'reservedWords', 'reservedWordsStrict', 'reservedWordsStrictBind'] as const;
/**
 * Words that are no valid names in some contexts, or that can begin other syntax, in addition to
 * keywords and reserved words.
 */
const CONTEXTUAL = ['yield', 'await', 'arguments', 'async', 'let', 'of', 'eval', 'enum', 'using'];

let special: Words | undefined;

/** acorn's types declare the constructor protected. */
const AcornParser = Parser as unknown as new (options: Options, input: string) => Parser;

class FastParser extends AcornParser {
  constructor(options: Options, input: string) {
    super(options, input);
    const parts = this as unknown as Parts;
    for (const name of WORD_SETS) parts[name] = wordsOf(parts[name] as unknown as RegExp);
    parts.special = special ??= new Words([...WORD_SETS.flatMap((name) => [...parts[name].all]), ...CONTEXTUAL]);
    parts.names = new Names(input.length);
    parts.isSpecial = false;
    parts.htmlComments = [];
    parts.regExps = new Set();
    // acorn adds this member at the first template. Adding it here keeps one hidden class in V8,
    // and so the fast paths for it.
    parts.inTemplateElement = false;
  }
}

const nodeMethods: Methods = {
  startNode() {
    return new SyntaxNode(this.start) as OpenNode;
  },
  startNodeAt(start) {
    return new SyntaxNode(start) as OpenNode;
  },
  finishNode(node, type) {
    node.type = type;
    node.end = this.lastTokEnd;
    return node;
  },
  finishNodeAt(node, type, end) {
    node.type = type;
    node.end = end;
    return node;
  },
  copyNode(node) {
    if (node.type === 'Identifier') return new NameNode(node.start, node.end, node.name);
    return Object.assign(new SyntaxNode((node as SyntaxNode).start), node);
  },
  enterScope(flags) {
    this.scopeStack.push(new ParserScope(flags));
  },
};
Object.assign(FastParser.prototype, nodeMethods, tokenMethods, expressionMethods);

export interface Parsed {
  readonly program: Program;
  /** Offsets of HTML-like comments, such as `<!--`. */
  readonly htmlComments: readonly number[];
}

/** Throws SyntaxError with `pos`, and RangeError if the stack overflows. */
export function parseScript(text: string, options: Options): Parsed {
  try {
    const parser = new FastParser(options, text);
    return { program: parser.parse(), htmlComments: (parser as unknown as Parts).htmlComments };
  } catch (error) {
    if (error instanceof SyntaxError && error.message.startsWith('Not enough stack space'))
      throw new RangeError(error.message);
    throw error;
  }
}
