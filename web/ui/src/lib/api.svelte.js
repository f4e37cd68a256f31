// Questions to the server. A page keeps what it shows until the new answer is there, and asks again when the tree has
// changed.
//
// A browser has few connections to one server, and whoever listens holds one: six tabs would leave none to ask with. So
// one tab listens and tells the others; when it is closed, another one does. Who cannot agree with others (the lock is
// there for pages of this machine only) listens alone.
class Live {
  edition = $state(0);
  lost = $state(false);

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

  hear({ edition, lost }) {
    this.lost = lost;
    if (edition !== undefined) this.edition = edition;
  }

  listen(tell) {
    const told = (news) => (this.hear(news), tell(news));
    const source = new EventSource('/api/events');
    source.onmessage = (e) => told({ edition: Number(e.data), lost: false });
    source.onerror = () => {
      told({ lost: true });
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.listen(tell), 3000);
    };
  }
}

export const live = new Live();

export async function ask(what, params = {}, signal) {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const v of [value].flat()) if (v !== '' && v != null) q.append(name, v);
  }
  const answer = await fetch('/api/' + what + '?' + q, { signal });
  if (answer.status === 401) throw { message: await answer.text(), suggestions: [], closed: true };
  const data = await answer.json();
  if (!answer.ok) throw data;
  return data;
}

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
      if (!asked) return;
      const key = JSON.stringify(asked);
      if (key !== last) this.loading = true;
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
          this.error = error.message ? error : { message: 'The server does not answer.', suggestions: [] };
          this.data = null;
          this.loading = false;
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
ask('about').then(
  (a) => Object.assign(about, a),
  () => {},
);

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
