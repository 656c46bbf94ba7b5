// The meaning of the comment after an expression: its value, written as in a program or as Node prints it (`Uint32Array
// [1, 2]`), or the error it throws (`throws TokenizerError (CLOSED)`).

import ts from 'typescript';

export type Expectation =
  /** The value, as an expression. */
  | { value: string }
  /** The error's class, and its `code` if one is named. */
  | { throws: string; code: string | undefined };

/** Reads a comment without its slashes; undefined if it is neither. */
export function expectationOf(comment: string): Expectation | undefined {
  const thrown = /^throws (\w+)(?: \((\w+)\))?$/.exec(comment);
  if (thrown) return { throws: thrown[1]!, code: thrown[2] };
  // An empty typed array is not an expression until its brackets contain something.
  const text = comment.replace(/\b(\w+Array) ?\[\]/g, '$1[[]]');
  if (ts.transpileModule(`(${text})`, { reportDiagnostics: true }).diagnostics?.length !== 0) return undefined;
  const source = ts.createSourceFile('value.ts', `(${text})`, ts.ScriptTarget.Latest);
  const [statement, ...others] = source.statements;
  if (others.length > 0 || !statement || !ts.isExpressionStatement(statement)) return undefined;
  if (!ts.isParenthesizedExpression(statement.expression)) return undefined;
  const value = valueOf(statement.expression.expression, source);
  return value === undefined ? undefined : { value };
}

const CONSTANTS = ['undefined', 'NaN', 'Infinity'];

/** The code of a node that is just a value: no name, no operator except a sign. */
function valueOf(node: ts.Expression, source: ts.SourceFile): string | undefined {
  const text = node.getText(source);
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node) || ts.isStringLiteral(node)) return text;
  if ([ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(node.kind)) return text;
  if (ts.isIdentifier(node)) return CONSTANTS.includes(text) ? text : undefined;
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const operand = valueOf(node.operand, source);
    return operand === undefined ? undefined : `-${operand}`;
  }
  if (ts.isArrayLiteralExpression(node)) return listOf(node.elements, source);
  if (ts.isObjectLiteralExpression(node)) {
    const properties = node.properties.map((property) => {
      if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) return undefined;
      const value = valueOf(property.initializer, source);
      return value === undefined ? undefined : `${property.name.getText(source)}: ${value}`;
    });
    return properties.includes(undefined) ? undefined : `{ ${properties.join(', ')} }`;
  }
  // `Uint32Array [1, 2]` reads like an element of something called Uint32Array.
  if (ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const name = node.expression.text;
    if (!/^(?:Big)?(?:Ui|I)nt\d+Array$|^Float\d+Array$/.test(name)) return undefined;
    const given = node.argumentExpression;
    const elements = ts.isArrayLiteralExpression(given) && given.elements.length === 0 ? '[]' : listOf(operandsOf(given), source);
    return elements === undefined ? undefined : `${name}.from(${elements})`;
  }
  return undefined;
}

function listOf(nodes: readonly ts.Expression[], source: ts.SourceFile): string | undefined {
  const values = nodes.map((node) => valueOf(node, source));
  return values.includes(undefined) ? undefined : `[${values.join(', ')}]`;
}

/** The operands of commas. */
function operandsOf(node: ts.Expression): ts.Expression[] {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.CommaToken) return [node];
  return [...operandsOf(node.left), node.right];
}
