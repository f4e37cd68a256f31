// Drives a real browser over the pages of `bunraku web`. The first argument is a file of JSON that says what to do; what
// went wrong, and what was measured, is printed as JSON.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const require = createRequire(job.room + '/package.json');
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const failures = [];
const figures = {};
const fail = (where, what) => failures.push(where + ': ' + what);

const browser = await chromium.launch({ executablePath: job.chromium, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
context.setDefaultTimeout(15000);
let where = 'the start';
context.on('request', (r) => {
  if (!r.url().startsWith(job.base + '/') && !r.url().startsWith('data:')) fail(where, 'asks for ' + r.url());
});
const page = await context.newPage();
page.on('pageerror', (e) => fail(where, 'error ' + e.message));
let alone = false; // there is no server
page.on('console', (m) => {
  if (alone) return;
  if (m.type() === 'error' || m.type() === 'warning') fail(where, 'console: ' + m.text());
});
page.on('dialog', (d) => {
  fail(where, 'dialog ' + d.message());
  d.dismiss();
});

// The link leads in and leaves no token behind.
await page.goto(job.url);
if (page.url() !== job.base + '/') fail(where, 'the link leads to ' + page.url());

const quiet = () => page.waitForFunction(() => !document.querySelector('.loading') && !/Looking…|Comparing…/.test(document.body.innerText));
async function visit(path) {
  where = path;
  await page.goto(job.base + path);
  await page.waitForSelector('h1');
  await quiet();
}

// follow goes where a link leads, as a click does: the page is not loaded anew. It is there when everything that it asks
// for has been answered.
const asked = new Set();
page.on('request', (r) => r.url().includes('/api/') && !r.url().endsWith('/api/events') && asked.add(r));
page.on('requestfinished', (r) => asked.delete(r));
page.on('requestfailed', (r) => asked.delete(r));
async function follow(path) {
  where = path;
  const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  await page.evaluate((to) => {
    const a = document.createElement('a');
    a.href = to;
    document.body.append(a);
    a.click();
    a.remove();
  }, path);
  for (let still = 0; still < 2; still = asked.size ? 0 : still + 1) await frame();
  await quiet();
  const at = new URL(page.url());
  if (at.pathname + at.search !== path) fail(path, 'leads to ' + page.url());
}

// What a reader would miss: tags that end in the middle, graphs of few columns that do not fit, lines that run behind
// boxes of a graph.
function cut() {
  const found = [];
  for (const t of document.querySelectorAll('.tr .tag')) {
    if (!t.checkVisibility()) continue;
    const [tag, cell] = [t.getBoundingClientRect(), t.parentElement.getBoundingClientRect()];
    if (t.scrollWidth > t.clientWidth || tag.right > cell.right + 1) {
      found.push(`the tag “${t.textContent}” is cut`);
      break;
    }
  }
  for (const g of document.querySelectorAll('.graph')) {
    if (!g.querySelector('svg').checkVisibility()) continue;
    const boxes = [...g.querySelectorAll('.box')].map((b) => b.getBoundingClientRect());
    if (g.scrollWidth > g.clientWidth && new Set(boxes.map((b) => b.left)).size <= 5) found.push(`the graph is ${g.scrollWidth - g.clientWidth} pixels wider than its frame`);
    const behind = [...g.querySelectorAll('path.edge:not(.back)')].filter((e) => {
      const at = e.getScreenCTM();
      for (let i = 0; i < e.getTotalLength(); i += 5) {
        const p = e.getPointAtLength(i).matrixTransform(at);
        if (boxes.some((b) => p.x > b.left + 3 && p.x < b.right - 3 && p.y > b.top + 3 && p.y < b.bottom - 3)) return true;
      }
    });
    if (behind.length) found.push(`${behind.length} lines of the graph run behind boxes`);
  }
  return found;
}

const steps = {
  // Every page: shown without an error, readable for everybody in both themes, and no wider than a telephone.
  async pages() {
    for (const p of job.pages) {
      for (const theme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: theme });
        await visit(p.path);
        where = p.path + ' ' + theme;
        for (const text of p.has ?? []) {
          if (!(await page.evaluate((t) => document.body.innerText.replace(/\s+/g, ' ').includes(t), text))) fail(where, 'does not show ' + text);
        }
        await page.evaluate(axe);
        const result = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
        for (const v of result.violations) fail(where, `axe ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
        const picture = `web-${p.name}${theme === 'dark' ? '-dark' : ''}.png`;
        if (job.pictures && job.shown.includes(picture)) {
          await page.setViewportSize({ width: 1180, height: p.height ?? 760 });
          await page.waitForTimeout(150);
          await page.screenshot({ path: `${job.pictures}/${picture}` });
          await page.setViewportSize({ width: 1280, height: 800 });
        }
      }
      await page.emulateMedia({ colorScheme: 'light' });
      for (const [width, height] of [[1180, 760], [360, 740], [640, 400]]) {
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(60);
        for (const what of await page.evaluate(cut)) fail(p.path + ' at ' + width, what);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 1) fail(p.path + ' at ' + width, 'is ' + wide + ' pixels too wide');
        if (job.pictures && width === 360 && job.shown.includes(`web-${p.name}-narrow.png`)) await page.screenshot({ path: `${job.pictures}/web-${p.name}-narrow.png` });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ media: 'print' });
      if (!(await page.isVisible('h1, h2'))) fail(p.path, 'prints nothing');
      const printed = await page.evaluate(() => {
        dispatchEvent(new Event('beforeprint'));
        const tree = document.querySelector('[role=tree]');
        const paper = document.querySelector('.paper');
        if (paper) return [paper.checkVisibility() ? paper.querySelectorAll('tbody tr').length : 0, document.querySelector('[role=table]').getAttribute('aria-rowcount') - 1];
        const rows = tree && [tree.querySelectorAll('[role=treeitem]').length, Math.round(parseFloat(tree.firstElementChild.style.height) / 30)];
        dispatchEvent(new Event('afterprint'));
        return rows;
      });
      const ink = await page.evaluate(() => {
        const seen = [];
        for (const theme of ['light', 'dark']) {
          document.documentElement.dataset.theme = theme;
          seen.push(getComputedStyle(document.documentElement).color);
        }
        delete document.documentElement.dataset.theme;
        return seen;
      });
      if (ink[0] !== ink[1]) fail(p.path, 'prints light letters on white paper');
      if (printed && printed[0] !== printed[1]) fail(p.path, `prints ${printed[0]} of ${printed[1]} rows`);
      await page.emulateMedia({ media: 'screen' });
    }
  },

  // Every link that can be reached from the first page leads to a page that has something to say.
  async links() {
    const seen = new Set(['/', ...(job.from ?? [])]);
    const queue = [...seen];
    const kinds = {};
    // Pages are of a kind by what they are about, too: a resource, a relation, a variable, a fact.
    const kindOf = (path) => {
      const at = new URL(path, job.base);
      const ref = at.searchParams.get('ref') ?? '';
      return at.pathname + ' ' + (ref.includes(' -> ') ? 'relation' : (/^(\$+|\w+:)/.exec(ref)?.[0] ?? '')) + (/hiera\.yaml$/.exec(at.searchParams.get('file') ?? '') ?? '');
    };
    for (const path of queue) kinds[kindOf(path)] = (kinds[kindOf(path)] ?? 0) + 1;
    let visited = 0;
    while (queue.length && visited < job.most) {
      const path = queue.shift();
      await (job.click && visited ? follow(path) : visit(path));
      if (++visited % 500 === 0) console.error(`${visited} links followed, ${queue.length} wait`);
      const alert = await page.$('[role=alert]');
      if (alert) fail(path, 'says ' + (await alert.innerText()));
      for (const to of await page.$$eval('a[href]', (all) => all.map((a) => a.pathname + a.search))) {
        if (seen.has(to)) continue;
        const kind = kindOf(to);
        if ((kinds[kind] ?? 0) >= (job.each ?? 1e9)) continue;
        kinds[kind] = (kinds[kind] ?? 0) + 1;
        seen.add(to);
        queue.push(to);
      }
    }
    figures.links = visited;
    figures.left = queue.length;
    figures.kinds = kinds;
  },

  // Everything that can be used can be reached by Tab, and shows that it is there.
  async keyboard() {
    for (const p of job.pages) {
      await visit(p.path);
      const want = await page.evaluate(() => {
        const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')].filter(
          (e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility(),
        );
        all.forEach((e, i) => (e.dataset.number = i));
        document.activeElement?.blur();
        return all.length;
      });
      const got = new Set();
      for (let i = 0; i < want + 10 && got.size < want; i++) {
        await page.keyboard.press('Tab');
        const n = await page.evaluate(() => {
          const e = document.activeElement;
          return e?.dataset?.number ?? '';
        });
        if (n !== '') got.add(n);
      }
      if (got.size < want) fail(p.path, `Tab reaches ${got.size} of ${want}`);
    }
    // Search, choose and open without a mouse; then fold and open in the tree.
    await visit('/fleet');
    await page.keyboard.press('/');
    await page.keyboard.type(job.search.type);
    await page.waitForSelector('#found-0');
    await page.keyboard.press('Enter');
    await page.waitForFunction((t) => document.body.innerText.includes(t), job.search.shows);
  },

  // More tabs than a browser has connections: all of them are answered, and all hear of an edit.
  async tabs() {
    const tabs = [];
    await visit('/'); // a page of a node would ask for what is not there while the tree is broken
    for (let i = 0; i < 9; i++) {
      const tab = await context.newPage();
      where = 'tab ' + i;
      await tab.goto(job.base + '/');
      await tab.waitForSelector('dl.figures');
      tabs.push(tab);
    }
    where = 'the tabs';
    appendFileSync(job.edit.file, job.edit.text);
    for (const tab of tabs) await tab.waitForFunction((t) => document.body.innerText.includes(t), job.edit.shows);
    await tabs[0].close(); // perhaps the one that listens
    writeFileSync(job.edit.file, readFileSync(job.edit.file, 'utf8').replace(job.edit.text, ''));
    for (const tab of tabs.slice(1)) await tab.waitForFunction((t) => !document.body.innerText.includes(t), job.edit.shows);
    for (const tab of tabs.slice(1)) await tab.close();
    figures.tabs = tabs.length;
  },

  // The server goes and another comes in its place: pages that are open say so, and show what the new one knows as soon as
  // the browser has been let in again.
  async restart() {
    await visit('/findings');
    where = 'a restart';
    alone = true;
    const says = (t) => page.waitForFunction((x) => document.body.innerText.includes(x), t);
    process.kill(job.pid, 'SIGINT');
    await says('The server does not answer. The page shows what it last said.');
    if (!(await page.$('.problems li'))) fail(where, 'the page does not show what it last said');
    await page.click('nav a[href="/fleet"]');
    await page.waitForSelector('[role=alert]');
    const alert = await page.innerText('[role=alert]');
    if (alert !== 'The server does not answer.') fail(where, 'a page that cannot be asked for says ' + alert);
    const again = spawn(job.again[0], job.again.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    const link = await new Promise((done) => {
      let text = '';
      again.stdout.on('data', (d) => /http:\S+\s/.test((text += d)) && done(/http:\S+/.exec(text)[0]));
    });
    await says('This browser has not been let in: open the link that the terminal shows.');
    const other = await context.newPage();
    await other.goto(link);
    await page.waitForSelector('.tr.at a[href]');
    if (await page.$('.banner')) fail(where, 'the page still says ' + (await page.innerText('.banner')));
    await other.close();
    again.kill('SIGINT');
  },

  // Tasks: from the first page, at most three clicks each; typing into the search box counts as one.
  async tasks() {
    figures.tasks = {};
    for (const t of job.tasks) {
      await visit('/');
      where = 'task: ' + t.task;
      let clicks = 0;
      try {
        for (const s of t.steps) {
          clicks++;
          if (s.type) {
            await page.fill('[role=combobox]', '');
            await page.type('[role=combobox]', s.type);
            await page.waitForSelector('#found-0');
          } else if (s.check) await page.getByRole('checkbox', { name: s.check }).first().check();
          else if (s.found) await page.locator('#found a', { hasText: s.found }).first().click();
          else await page.getByRole(s.role ?? 'link', { name: s.click }).first().click();
          await quiet();
        }
        for (const text of t.shows) {
          await page.waitForFunction((x) => document.body.innerText.replace(/\s+/g, ' ').includes(x), text, { timeout: 5000 }).catch(() => {
            throw new Error('does not show ' + text + ' at ' + page.url());
          });
        }
        if (t.hides && (await page.evaluate((x) => document.querySelector('main').innerText.includes(x), t.hides))) throw new Error('shows ' + t.hides);
      } catch (e) {
        fail(where, e.message.split('\n')[0]);
      }
      figures.tasks[t.task] = clicks;
      if (clicks > 3) fail(where, clicks + ' clicks');
    }
  },

  // Times, as a user sees them: from the click to rows that are painted, and a key that is answered.
  async times() {
    for (const m of job.measure) {
      const all = [];
      for (let i = 0; i < 7; i++) {
        await visit(m.from);
        all.push(
          await page.evaluate(
            async ([to, ready]) => {
              const began = performance.now();
              const a = document.createElement('a');
              a.href = to;
              a.textContent = 'x';
              document.body.append(a);
              a.click();
              a.remove();
              await new Promise((done) => {
                const look = () => {
                  if (document.querySelector(ready)) requestAnimationFrame(() => setTimeout(done)); // it is painted
                  else requestAnimationFrame(look);
                };
                look();
              });
              // A key is answered: the slash brings the search box.
              document.activeElement?.blur();
              document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
              await new Promise((done) => {
                const look = () => (document.activeElement?.role === 'combobox' ? done() : setTimeout(look));
                look();
              });
              return performance.now() - began;
            },
            [m.to, m.ready],
          ),
        );
      }
      all.sort((a, b) => a - b);
      figures[m.name] = { median: all[3], worst: all[6] };
    }
  },

  // Scrolling: no task of the main thread is long while rows come and go.
  async scroll() {
    await visit('/fleet');
    await page.waitForSelector('.tr.at a');
    figures.rows = await page.evaluate(() => document.querySelector('[role=table]').ariaRowCount ?? document.querySelector('[role=table]').getAttribute('aria-rowcount'));
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
    await page.hover('.scroll');
    for (let i = 0; i < 150; i++) {
      await page.mouse.wheel(0, i % 3 ? 900 : 40000);
      await page.waitForTimeout(16);
    }
    const events = JSON.parse(String(await browser.stopTracing())).traceEvents;
    const mains = new Set(events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => e.pid + ':' + e.tid));
    // Time on the processor, not on the clock: other programs of the machine are no tasks of the page.
    const spent = (e) => (e.tdur ?? e.dur) / 1000;
    const tasks = events.filter((e) => /RunTask$/.test(e.name) && e.ph === 'X' && mains.has(e.pid + ':' + e.tid));
    tasks.sort((a, b) => spent(b) - spent(a));
    figures.wall = Math.max(0, ...tasks.map((e) => e.dur / 1000));
    figures.longest = tasks.length ? spent(tasks[0]) : 0;
    figures.count = tasks.length;
    figures.top = tasks.slice(0, 5).map(spent);
    // What the longest one did, for whoever wants to make it shorter.
    const t = tasks[0];
    figures.did = events
      .filter((e) => t && e !== t && e.ph === 'X' && e.pid === t.pid && e.tid === t.tid && e.ts >= t.ts && e.ts + e.dur <= t.ts + t.dur && spent(e) > 1)
      .sort((a, b) => spent(b) - spent(a))
      .slice(0, 8)
      .map((e) => e.name + ' ' + spent(e).toFixed(1))
      .join(', ');
  },

  // Reports that are one file: opened from the disk, with scripts and without.
  async reports() {
    for (const scripts of [true, false]) {
      const alone = await browser.newContext({ viewport: { width: 1180, height: 760 }, javaScriptEnabled: scripts });
      const p = await alone.newPage();
      for (const r of job.reports) {
        where = r.name + (scripts ? '' : ' without scripts');
        const wrong = (m) => fail(where, m);
        p.on('pageerror', (e) => wrong(e.message));
        p.on('console', (m) => m.type() === 'error' && wrong(m.text()));
        p.on('request', (q) => q.url().startsWith('file:') || wrong('asks for ' + q.url()));
        await p.goto('file://' + r.file);
        for (const text of r.has) if (!(await p.locator('main').innerText()).replace(/\s+/g, ' ').includes(text)) wrong('does not show ' + text);
        if ((await p.isVisible('#narrow')) !== scripts) wrong('the box to narrow down');
        if (scripts) {
          for (const theme of ['light', 'dark']) {
            await p.emulateMedia({ colorScheme: theme });
            await p.evaluate(axe);
            const result = await p.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }));
            for (const v of result.violations) wrong(`axe ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 160)}`);
          }
          await p.emulateMedia({ colorScheme: 'light' });
          if (job.pictures && job.shown.includes(`web-${r.name}.png`)) await p.screenshot({ path: `${job.pictures}/web-${r.name}.png` });
          await p.fill('#narrow input', r.narrow);
          const left = await p.locator('section[data-part]:visible').count();
          if (left !== 1) wrong(left + ' are left of it for ' + r.narrow);
        }
        p.removeAllListeners();
      }
      await alone.close();
    }
  },

  async weight() {
    const fresh = await context.newPage();
    const client = await context.newCDPSession(fresh);
    await client.send('Network.enable');
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    client.on('Network.loadingFinished', (e) => (bytes += e.encodedDataLength));
    await fresh.goto(job.base + '/');
    await fresh.waitForSelector('h2');
    figures.weight = bytes;
    await fresh.close();
  },
};

figures.took = {};
for (const s of job.do) {
  const began = Date.now();
  try {
    await steps[s]();
  } catch (e) {
    fail(s + ', ' + where, e.message.split('\n').slice(0, 3).join(' '));
  }
  figures.took[s] = Date.now() - began;
}
await browser.close();
console.log(JSON.stringify({ failures, figures }));
