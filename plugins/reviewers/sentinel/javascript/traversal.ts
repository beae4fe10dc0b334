import type { Node } from 'acorn';
import type { Rule } from './rule.ts';

/** What sees to where a path leads: it is compared with a folder, a pattern without a bare dot, or a list. */
const contained =
  /\.startsWith\(|\brelative\(|isInside|isPathInside|isSubdir|\.includes\(\s*['"]\.\.|safeJoin|\/\^(?:[^/\\\n.[]|\\.|\[[^\]\n]*\])+\$\/\w*\.test\(|\b(?:allow|permit|known|valid)\w*\.(?:includes|has)\(/i;
const archives = /^(?:adm-zip|yauzl|unzipper|unzip-stream|jszip|tar-stream|tar|node-stream-zip|extract-zip)$/;
/** What whoever packed an archive calls its entries. */
const entryName = /^(?:\w*entry\.(?:entryName|fileName|path|relativePath)|header\.name)$/i;
const named = /(?:^|\.)(?:basename|sanitize\w*|slugify|encodeURIComponent)$/;
const joins = /^(?:(?:path|posix)\.)?(?:join|resolve)$/;
const opens =
  /(?:^|\.)(?:readFile|readFileSync|writeFile|writeFileSync|createReadStream|createWriteStream|unlink|unlinkSync|rm|rmSync|readdir|readdirSync|sendFile|download|appendFile|appendFileSync)$/;
/** Whoever starts a command may name any file. */
const fromCommandLine = /process\.argv/;

/** A path holds what comes from outside, and nothing in the function sees to where it leads. */
export const traversal: Rule = ({ node, owners, module }) => {
  if (node.type !== 'CallExpression') return null;
  const callee = module.text(node.callee);
  if (!joins.test(callee) && !opens.test(callee)) return null;
  if (callee === 'resolve' && module.callee(node.callee, owners)?.from !== 'path') return null;
  // `sendFile` with a root refuses to leave it.
  if (/\.(?:sendFile|download)$/.test(callee) && /\broot\s*:/.test(module.text(node))) return null;
  const paths = joins.test(callee) ? node.arguments : node.arguments.slice(0, 1);
  // What stands in `join` has been told there.
  const direct = paths.filter((part) => joins.test(callee) || !/(?:join|resolve)\(/.test(module.text(part)));
  const isPacked = (part: Node) => entryName.test(module.text(part)) && module.imports(archives);
  if (!direct.some((part) => isPacked(part) || module.origin(part, owners, named) === 'input')) return null;
  if (fromCommandLine.test(paths.map((part) => module.text(part)).join())) return null;
  const [around] = owners;
  if (around === undefined || contained.test(module.text(around))) return null;
  return {
    check: 'path traversal',
    weight: 'FAIL',
    says: `${callee} takes a path from outside that may lead anywhere; check that the result stays in its folder`,
  };
};
