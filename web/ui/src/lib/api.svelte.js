// Questions to the server. A page keeps what it shows until the new answer is there, and asks again when the tree has
// changed.
//
// A browser has few connections to one server, and whoever listens holds one: six tabs would leave none to ask with. So
// one tab listens and tells the others; when it is closed, another one does. Who cannot agree with others (the lock is
// there for pages of this machine only) listens alone.
class Live {
  edition = $state(''); // of what the server shows
  looking = $state(''); // how far it has come with the next one
  lost = $state(''); // why nothing is heard of it
  returns = $state(0); // counts how often it was heard of again: what could not be asked is asked then

  constructor() {
    if (!navigator.locks) {
      this.listen(() => {});
      return;
    }
    const others = new BroadcastChannel('bunraku-live');
    others.onmessage = (e) => this.hear(e.data);
    navigator.locks.request('bunraku-live', () => {
      this.listen((news) => others.postMessage(news));
      return new Promise(() => {}); // until the tab is closed
    });
  }

  hear({ edition, looking = '', lost = '' }) {
    if (this.lost && !lost) this.returns++;
    this.lost = lost;
    this.looking = looking;
    if (edition !== undefined) this.edition = edition;
  }

  listen(tell) {
    const told = (news) => (this.hear(news), tell(news));
    const source = new EventSource('/api/events');
    source.onmessage = (e) => told(JSON.parse(e.data));
    // Not left to the browser, which waits longer and longer; and the reason may be another: a server that was started in
    // place of the one that let this browser in.
    source.onerror = () => {
      source.close();
      setTimeout(() => this.listen(tell), 2000);
      ask('about').catch((e) => told({ lost: e.message === silent ? silent + ' The page shows what it last said.' : e.message }));
    };
  }
}

const silent = 'The server does not answer.';
export const live = new Live();

export async function ask(what, params = {}, signal) {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const v of [value].flat()) if (v !== '' && v != null) q.append(name, v);
  }
  const answer = await fetch('/api/' + what + '?' + q, { signal }).catch((e) => {
    throw e.name === 'AbortError' ? e : { message: silent, suggestions: [], lost: true };
  });
  const refused = answer.status === 401;
  if (refused || !answer.headers.get('Content-Type')?.startsWith('application/json')) throw { message: sentence(await answer.text()), suggestions: [], lost: refused };
  const data = await answer.json();
  if (!answer.ok) throw data;
  return data;
}

const sentence = (text) => text.trim().replace(/^./, (c) => c.toUpperCase()).replace(/[^.]$/, '$&.');

// tell changes something: only marks can be.
export async function tell(what, body) {
  const answer = await fetch('/api/' + what, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (!answer.headers.get('Content-Type')?.startsWith('application/json')) throw { message: await answer.text() };
  const data = await answer.json();
  if (!answer.ok) throw data;
  return data;
}

export class Query {
  data = $state.raw(null);
  error = $state.raw(null);
  loading = $state(true);

  // question gives [what, params], or null for nothing yet.
  constructor(question) {
    let last = '';
    $effect(() => {
      const asked = question();
      live.edition;
      live.returns;
      if (!asked) return;
      const key = JSON.stringify(asked);
      const other = key !== last;
      if (other) this.loading = true;
      last = key;
      const stop = new AbortController();
      ask(asked[0], asked[1], stop.signal).then(
        (data) => {
          this.data = data;
          this.error = null;
          this.loading = false;
        },
        (error) => {
          if (stop.signal.aborted) return;
          this.loading = false;
          if (error.lost && this.data && !other) return; // what it last said, as the banner tells
          this.error = error.message ? error : { message: silent, suggestions: [] };
          this.data = null;
        },
      );
      return () => stop.abort();
    });
  }
}

// about is what holds for all pages.
class About {
  name = $state('');
  root = $state('');
  version = $state('');
}
export const about = new About();
$effect.root(() => {
  $effect(() => {
    live.returns;
    ask('about').then(
      (a) => Object.assign(about, a),
      () => {},
    );
  });
});

// short is a path as people of the tree call it.
export function short(path) {
  const root = about.root;
  if (!path || !root || root === '.') return path;
  return path.startsWith(root + '/') ? path.slice(root.length + 1) : path;
}

// clean takes the same out of the middle of a sentence.
export function clean(text) {
  const root = about.root;
  return !text || !root || root === '.' ? text : text.replaceAll(root + '/', '');
}

export function plural(n, one, many = one + 's') {
  return n.toLocaleString('en') + ' ' + (n === 1 ? one : many);
}
