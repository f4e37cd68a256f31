// Draws a screen that picture.lua wrote as a picture. Its texts are the editor's; the colours are given here, by what a piece
// of a line is. The first argument is a file of JSON: room (where playwright-core is), chromium, rows, picture.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { chromium } = createRequire(job.room + '/package.json')('playwright-core');
const escape = (s) => s.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const span = (kind, s) => (s ? `<span class=${kind}>${escape(s)}</span>` : '');

// The pieces of a line of Puppet: a comment, a string, a variable, a type, a word of the language, an attribute.
const pieces = /(#.*$)|('[^']*'|"[^"]*")|(\$[a-z_:]+)|\b([A-Z]\w*(?:::[A-Z]\w*)*)|\b(class|include|package|file|service|cron|exec)\b(?= |$)/g;
const kinds = ['', 'comment', 'string', 'variable', 'type', 'word'];
const code = (s) => {
  let out = '';
  let at = 0;
  for (const m of s.matchAll(pieces)) {
    out += escape(s.slice(at, m.index)) + span(kinds[m.findIndex((x, i) => i > 0 && x !== undefined)], m[0]);
    at = m.index + m[0].length;
  }
  return out + escape(s.slice(at));
};
// A row begins with the sign and the number; what is behind the dot is a problem's first line.
const line = (text) => {
  const s = text.replace(/^~/, ' ');
  const [, sign, number, rest] = s.match(/^(..)( *\d* )(.*)$/s) ?? ['', '', '', s];
  const dot = rest.indexOf('●');
  return span('sign', sign) + span('number', number) + (dot < 0 ? code(rest) : code(rest.slice(0, dot)) + span('sign', rest.slice(dot)));
};
const row = ({ text, from, to }) => {
  const all = [...text];
  if (to === from) return line(text);
  return line(all.slice(0, from).join('')) + span('above', all.slice(from, to).join('')) + span('sign', all.slice(to).join(''));
};

const browser = await chromium.launch({ executablePath: job.chromium, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
const page = await browser.newPage({ viewport: { width: 1100, height: 400 } });
await page.setContent(`<style>
  pre { font: 14px/19px 'DejaVu Sans Mono', monospace; margin: 0; padding: 8px 10px; display: inline-block; border: 1px solid #d1d9e0; color: #1f2328 }
  .comment { color: #59636e; font-style: italic } .string { color: #0a3069 } .variable { color: #8250df } .type { color: #0550ae }
  .word { color: #a40e26 } .number { color: #6e7781 } .sign { color: #cf222e } .above { background: #f3f6fa; padding: 2px 0 }
</style><pre>${job.rows.map(row).join('\n')}</pre>`);
await page.locator('pre').screenshot({ path: job.picture });
await browser.close();
