// Where we are: a path and parameters. Links are plain ones; a click on one that stays here changes the page without
// loading it anew.
class Route {
  path = $state(location.pathname);
  query = $state.raw(new URLSearchParams(location.search));
  hash = $state(location.hash);
  moves = $state(0); // counts navigations, so that focus can follow them

  constructor() {
    addEventListener('popstate', () => this.read());
    document.addEventListener('click', (e) => {
      const a = e.target.closest?.('a[href]');
      if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
      if (a.target || a.hasAttribute('download') || a.origin !== location.origin || a.pathname.startsWith('/api/')) return;
      e.preventDefault();
      this.go(a.pathname + a.search + a.hash);
    });
  }

  read() {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
    this.hash = location.hash;
    this.moves++;
  }

  go(to) {
    history.pushState(null, '', to);
    this.read();
  }

  // refine changes parameters in place: filters are part of the address, but not of the way back.
  refine(changes) {
    const q = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      q.delete(name);
      for (const v of [value].flat()) if (v !== '' && v != null) q.append(name, v);
    }
    const text = q.toString();
    history.replaceState(null, '', this.path + (text ? '?' + text : ''));
    this.query = q;
  }

  get(name) {
    return this.query.get(name) ?? '';
  }
}

export const route = new Route();

// to makes the address of a page.
export function to(page, params = {}, hash = '') {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== '' && value != null) q.append(name, value);
  const text = q.toString();
  return '/' + page + (text ? '?' + text : '') + hash;
}

// code is the address of a line of a file. Of Hiera's own file no lines are shown: its levels have a page. Of files that
// are neither code nor data nothing is.
export function code(file, line = 0) {
  if (/(^|\/)hiera\.yaml$/.test(file ?? '')) return '/hiera';
  return /\.(pp|epp|erb|ya?ml|eyaml|json)$/.test(file ?? '') ? to('code', { file }, line ? '#L' + line : '') : undefined;
}
