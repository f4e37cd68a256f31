package compiler_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// The directories of the Puppet that was asked are its own; a packaged server's are those that we answer with.
var (
	oracleTemp = regexp.MustCompile(`/tmp/puppet-sites[\w.-]+`)
	oracleDirs = strings.NewReplacer("@TMP@/conf", "/etc/puppetlabs/puppet", "@TMP@/code", "/etc/puppetlabs/code",
		"@TMP@/var", "/opt/puppetlabs/server/data/puppetserver", "@TMP@/run", "/var/run/puppetlabs/puppetserver",
		"@TMP@/log", "/var/log/puppetlabs/puppetserver")
)

// asPackaged is a kept answer as a packaged server would give it for the environment in a directory.
func asPackaged(answer, dir string) string {
	return oracleDirs.Replace(oracleTemp.ReplaceAllString(strings.ReplaceAll(answer, "@DIR@", dir), "@TMP@"))
}

// keptAnswers are Puppet's, of an environment in a state that the caller names; what only one node's answer depends on
// can be given by the node's name. There are thousands of them: they are kept beside the clones, a line for each node,
// so that a run goes on where another was ended.
func keptAnswers(t *testing.T, o *live.Oracle, dir string, nodes []debianNode, state string,
	own map[string]string) []string {
	t.Helper()
	sum := sha256.Sum256([]byte(state))
	kept := filepath.Join(filepath.Dir(live.Fetched(t, "modern")), "answers", "modern-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	key := func(n debianNode) string {
		if own[n.name] == "" {
			return n.name
		}
		sum := sha256.Sum256([]byte(own[n.name]))
		return n.name + "/" + hex.EncodeToString(sum[:8])
	}
	known := map[string]string{}
	text, err := os.ReadFile(kept)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, answer, is := strings.Cut(line, " "); is && strings.HasSuffix(answer, "\n") {
			known[name] = strings.TrimSuffix(answer, "\n")
		}
	}
	file, err := os.OpenFile(kept, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var missing []debianNode
	for _, n := range nodes {
		if _, is := known[key(n)]; !is {
			missing = append(missing, n)
		}
	}
	for len(missing) > 0 {
		some := missing[:min(len(missing), 160)]
		missing = missing[len(some):]
		var questions []string
		for _, n := range some {
			questions = append(questions, dir+" "+n.name+" "+n.facts)
		}
		var lines strings.Builder
		for i, a := range o.Compile(t, questions) {
			known[key(some[i])] = strings.ReplaceAll(a, dir, "@DIR@")
			lines.WriteString(key(some[i]) + " " + known[key(some[i])] + "\n")
		}
		if _, err := file.WriteString(lines.String()); err != nil {
			t.Fatal(err)
		}
	}
	answers := make([]string, len(nodes))
	for i, n := range nodes {
		answers[i] = known[key(n)]
	}
	return answers
}
