// The documentation comments of the schemas and of the error lists: zod does not see them, the reference shows them.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './protocol-schemas.mjs';

function parse(file) {
  return ts.createSourceFile(file, fs.readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

function commentOf(node) {
  const text = ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
    .join(' ');
  // Where a behaviour is written is for readers of the code.
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ?Source:.*$/, '')
    .trim();
}

function typescriptFiles(folder) {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .sort();
}

const ownerName = (name) => name.replace(/Schema$/, '');

/**
 * `Type` and `Type.field` -> comment. The type is the schema's name without `Schema`; the fields of a command belong to its wire name,
 * those of an event or a dialog to its own.
 */
export function schemaComments() {
  const comments = {};
  const note = (key, node) => {
    const text = commentOf(node);
    if (text) comments[key] = text;
  };
  for (const file of typescriptFiles('core/protocol')) {
    const visit = (node, owner) => {
      let inside = owner;
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
        inside = ownerName(node.name.text);
        if (ts.isVariableStatement(node.parent.parent)) note(inside, node.parent.parent);
      } else if (ts.isCallExpression(node) && /^(event|request)$/.test(node.expression.getText()) && node.arguments[0]) {
        inside = node.arguments[0].text ?? owner;
      } else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
        if (node.name.text === 'name' && ts.isStringLiteral(node.initializer))
          comments[`command:${owner}`] = node.initializer.text;
        note(`${owner}.${node.name.text}`, node);
      }
      ts.forEachChild(node, (child) => visit(child, inside));
    };
    visit(parse(file), '');
  }
  return comments;
}

/** Every error code of every room: `[{ code, room, meaning }]`. */
export function errorCodes() {
  const found = [];
  for (const file of typescriptFiles('core').filter((name) => name.endsWith('/errors.ts') || /-errors\.ts$/.test(name))) {
    const room = file.split('/').slice(1, -1).join('/');
    const visit = (node) => {
      if (ts.isVariableDeclaration(node) && /_ERRORS$/.test(node.name.getText()) && node.initializer) {
        const list = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
        for (const property of ts.isObjectLiteralExpression(list) ? list.properties : []) {
          if (ts.isPropertyAssignment(property))
            found.push({ code: property.name.getText(), room, meaning: commentOf(property) });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(parse(file));
  }
  return found;
}
