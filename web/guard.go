package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Who is let in. The address that the terminal shows holds a token. Whoever brings it gets a cookie instead, once; then
// the token is spent, and gone from the address bar and the history. The cookie is Strict, so no other site's page can
// ask anything with it, and HttpOnly, so no script can read it.
//
// A name of another host that leads to this machine (DNS rebinding) is refused by the Host header; a request that
// another site's page makes, by Origin and Sec-Fetch-Site. The pages themselves hold nothing of the tree, so that a
// link to one works from anywhere: what they ask needs the cookie.
type guard struct {
	hosts  map[string]bool // host:port by which the server may be called
	any    string          // the port, if it listens on every address of the machine: then by each of them, too
	at     string          // the first of the names
	cookie string          // its name: ports share cookies, so it has the port in it
	secret string          // its value

	mu    sync.Mutex
	token string // "" when it is spent
}

// newGuard makes one for a listener's address, and the name that somebody gave to it ("" if nobody did).
func newGuard(addr net.Addr, name string) (*guard, error) {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil, err
	}
	g := &guard{hosts: map[string]bool{}, cookie: "bunraku-" + port, secret: random(), token: random()}
	if net.ParseIP(name) != nil {
		name = ""
	}
	names := []string{host}
	local := []string{"localhost", "127.0.0.1", "[::1]"}
	switch ip := net.ParseIP(host); {
	case ip != nil && ip.IsLoopback():
		names = append(names, local...)
	case ip != nil && ip.IsUnspecified(): // which is no name that a browser can be given
		g.any = port
		names = local
	}
	if name != "" {
		names = slices.Insert(slices.Clone(names), 0, strings.ToLower(name))
	}
	for _, name := range names {
		if strings.Contains(name, ":") && name[0] != '[' {
			name = "[" + name + "]"
		}
		at := name + ":" + port
		if g.at == "" {
			g.at = at
		}
		g.hosts[at] = true
	}
	return g, nil
}

// called reports whether the server may be called so. A name of somebody else's may lead here, a number not: whoever
// says it means this machine.
func (g *guard) called(host string) bool {
	if g.hosts[strings.ToLower(host)] {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	return err == nil && g.any != "" && port == g.any && net.ParseIP(name) != nil
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// url is the address with the token.
func (g *guard) url() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprintf("http://%s/open?token=%s", g.at, g.token)
}

// invite makes a new token if the last one is spent.
func (g *guard) invite() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.token == "" {
		g.token = random()
	}
}

// headers are on every answer.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " +
		"'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
		"trusted-types svelte-trusted-html",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Cache-Control":                "no-store",
}

// around refuses what no page of ours sends.
func (g *guard) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		if !g.called(r.Host) {
			refuse(w, "this server is called "+g.at+", and by no other name")
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			refuse(w, "other sites are not answered")
			return
		}
		// A link on another site's page may lead to a page of ours, which holds nothing yet; nothing else may.
		site := r.Header.Get("Sec-Fetch-Site")
		leads := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" &&
			!strings.HasPrefix(r.URL.Path, "/api/")
		if site != "" && site != "same-origin" && site != "none" && !leads {
			refuse(w, "other sites are not answered")
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead &&
			(r.Method != http.MethodPost || r.URL.Path != "/api/mark") {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "nothing can be changed here", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, why string) { http.Error(w, why, http.StatusForbidden) }

// open exchanges the token for the cookie. What only looks whether the link leads somewhere does not spend it.
func (g *guard) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		return
	}
	given := r.URL.Query().Get("token")
	g.mu.Lock()
	fits := g.token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(g.token)) == 1
	if fits {
		g.token = ""
	}
	g.mu.Unlock()
	if !fits && !g.has(r) {
		refuse(w, "this link has been used, or is not the one that the terminal shows: start `bunraku web` again for another")
		return
	}
	if fits {
		http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.secret, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// has reports whether a request brings the cookie.
func (g *guard) has(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.secret)) == 1
}

// known answers only whoever has the cookie.
func (g *guard) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.has(r) {
			http.Error(w, "this browser has not been let in: open the link that the terminal shows", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
