/**
 * Nodes of the syntax tree. Half the time of a parse is spent on creating and collecting them. So
 * each node already has the fields that the walk and the evaluator set later: V8 would add them one
 * by one, in a second object. Constructors set the fields: for class fields, V8 would call a second
 * function per node.
 */

/**
 * The child properties of syntax nodes. Evaluated children of node types that the walk has no case
 * for, in source order. Bound names, labels and uncomputed keys are not included.
 */
export const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  Program: ['body'],
  BlockStatement: ['body'],
  StaticBlock: ['body'],
  WithStatement: ['object', 'body'],
  ReturnStatement: ['argument'],
  LabeledStatement: ['body'],
  IfStatement: ['test', 'consequent', 'alternate'],
  SwitchStatement: ['discriminant', 'cases'],
  SwitchCase: ['test', 'consequent'],
  ThrowStatement: ['argument'],
  TryStatement: ['block', 'handler', 'finalizer'],
  CatchClause: ['body'],
  WhileStatement: ['test', 'body'],
  DoWhileStatement: ['body', 'test'],
  ForStatement: ['init', 'test', 'update', 'body'],
  ForInStatement: ['left', 'right', 'body'],
  ForOfStatement: ['left', 'right', 'body'],
  VariableDeclaration: ['declarations'],
  ClassDeclaration: ['superClass', 'body'],
  ClassExpression: ['superClass', 'body'],
  ClassBody: ['body'],
  MethodDefinition: ['value'],
  PropertyDefinition: ['value'],
  FunctionDeclaration: ['body'],
  FunctionExpression: ['body'],
  ArrowFunctionExpression: ['body'],
  ArrayExpression: ['elements'],
  ObjectExpression: ['properties'],
  UnaryExpression: ['argument'],
  UpdateExpression: ['argument'],
  AssignmentExpression: ['right'],
  ConditionalExpression: ['test', 'consequent', 'alternate'],
  NewExpression: ['callee', 'arguments'],
  SequenceExpression: ['expressions'],
  YieldExpression: ['argument'],
  AwaitExpression: ['argument'],
  SpreadElement: ['argument'],
  TemplateLiteral: ['expressions'],
  TaggedTemplateExpression: ['tag', 'quasi'],
  ImportExpression: ['source', 'options'],
  ChainExpression: ['expression'],
  ParenthesizedExpression: ['expression'],
  ExportNamedDeclaration: ['declaration', 'specifiers'],
  ExportDefaultDeclaration: ['declaration'],
  ExportSpecifier: ['local'],
};

/** Replaces acorn's node, for all types without a class of their own. */
export class SyntaxNode {
  type: string;
  end: number;
  parent: undefined;

  constructor(public start: number) {
    this.type = '';
    this.end = 0;
    this.parent = undefined;
  }
}

/**
 * Number of members of the largest common node: a member expression with its parent, scope and
 * values.
 */
const MAX_MEMBERS = 11;
// V8 sizes the objects of a class by the first few instances.
for (let instances = 0; instances < 8; instances++) {
  const node = new SyntaxNode(0) as SyntaxNode & Record<string, unknown>;
  for (let index = Object.keys(node).length; index < MAX_MEMBERS; index++) node[`member${index}`] = undefined;
}

/** Two in five nodes are names. */
export class NameNode {
  readonly type: 'Identifier';
  parent: undefined;
  scope: undefined;
  evaluatedBy: undefined;
  values: undefined;

  constructor(
    public start: number,
    public end: number,
    public name: string,
  ) {
    this.type = 'Identifier';
    this.parent = undefined;
    this.scope = undefined;
    this.evaluatedBy = undefined;
    this.values = undefined;
  }
}

export class LiteralNode {
  readonly type: 'Literal';
  parent: undefined;

  constructor(
    public start: number,
    public end: number,
    public value: string | number,
    public raw: string,
  ) {
    this.type = 'Literal';
    this.parent = undefined;
  }
}
