/** Code is left as it is but for the three signs that Slack itself needs. */
const code = /```[\s\S]*?(?:```|$)|`[^`\n]+`/g;
/** A text or a link, at most one pair of round brackets in its address. */
const link = /!?\[([^\]\n]+)\]\((?:&lt;)?((?:https?|mailto):(?:[^\s()]|\([^\s()]*\))+?)(?:&gt;)?(?:\s+"[^"]*")?\)/g;

/** A text in Markdown, as Slack writes it. What Slack cannot show, tables and pictures among it, stays readable. */
export function toMrkdwn(markdown: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of markdown.matchAll(code)) {
    parts.push(prose(markdown.slice(at, match.index)), fence(harmless(match[0])));
    at = match.index + match[0].length;
  }
  parts.push(prose(markdown.slice(at)));
  return parts.join('');
}

/** Slack takes the language of a fence for its first line. */
function fence(text: string): string {
  return text.replace(/^```[\w+-]+\n/, '```\n');
}

function harmless(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function prose(text: string): string {
  return text.split('\n').map(line).join('\n');
}

function line(text: string): string {
  const quoted = /^(\s*)>\s?/.exec(text);
  if (quoted !== null) return `> ${line(text.slice(quoted[0].length))}`;
  const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(text);
  if (heading !== null) return `*${inline(heading[1] ?? '').replaceAll('*', '')}*`;
  return inline(text.replace(/^(\s*)[-*+]\s+/, '$1• '));
}

/** Stands for the star of what is bold while single stars become what is italic. */
const bold = '\u0000';

function inline(text: string): string {
  return harmless(text)
    .replace(link, (_, label: string, url: string) => `<${url}|${label.replaceAll('|', '¦')}>`)
    .replace(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, `${bold}$1${bold}`)
    .replace(/(?<![\w_])__(?=\S)(.+?)(?<=\S)__(?![\w_])/g, `${bold}$1${bold}`)
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])/g, '_$1_')
    .replace(/~~(?=\S)(.+?)(?<=\S)~~/g, '~$1~')
    .replaceAll(bold, '*');
}
