// Reads a list of files with the places of tokens and their classes, as the program's own front end has them, and says how
// many of them the grammar gives the same class. One JSON object on standard input, one on standard output.
import { readFileSync } from "fs";
import { createRequire } from "module";
const require = createRequire(import.meta.url);
const { Registry, parseRawGrammar, INITIAL } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const file = new URL("../syntaxes/puppet.tmLanguage.json", import.meta.url);
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (p) => new oniguruma.OnigScanner(p),
    createOnigString: (s) => new oniguruma.OnigString(s),
  }),
  loadGrammar: async () => parseRawGrammar(readFileSync(file, "utf8"), "puppet.tmLanguage.json"),
});
const grammar = await registry.loadGrammar("source.puppet");

// classOf is the class of the innermost scope that has one.
function classOf(scopes) {
  for (const s of [...scopes].reverse()) {
    if (s.startsWith("comment")) return "comment";
    if (s.startsWith("string.regexp")) return "regexp";
    if (s.startsWith("string") || s.startsWith("constant.character")) return "string";
    if (s.startsWith("constant.numeric")) return "number";
    if (s.startsWith("variable")) return "variable";
    if (s.startsWith("support.type")) return "type";
    if (s.startsWith("keyword.control") || s.startsWith("constant.language")) return "keyword";
    if (s.startsWith("entity") || s.startsWith("support.function") || s.startsWith("meta.word")) return "name";
    if (s.startsWith("keyword.operator") || s.startsWith("punctuation") || s.startsWith("meta.interpolation") ||
      s.startsWith("meta.heredoc") || s === "source.puppet") return "other";
  }
  return "other";
}

const input = JSON.parse(readFileSync(0, "utf8"));
let total = 0, right = 0;
const wrong = [];
for (const f of input) {
  const lines = f.text.split("\n");
  const byLine = new Map();
  for (const t of f.tokens || []) {
    if (!byLine.has(t.line)) byLine.set(t.line, []);
    byLine.get(t.line).push(t);
  }
  let state = INITIAL;
  lines.forEach((line, i) => {
    const r = grammar.tokenizeLine(line, state);
    state = r.ruleStack;
    for (const t of byLine.get(i) || []) {
      const at = r.tokens.find((x) => x.startIndex <= t.column && t.column < x.endIndex);
      const got = at ? classOf(at.scopes) : "none";
      total++;
      if (got === t.class) right++;
      else if (wrong.length < 40) wrong.push(`${f.name}:${i + 1}:${t.column + 1} is ${t.class}, not ${got}: ${line.trim()}`);
    }
  });
}
console.log(JSON.stringify({ total, right, wrong }));
