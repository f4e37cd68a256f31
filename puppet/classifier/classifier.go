// Package classifier asks an external node classifier (an ENC: Foreman's, the console's, a site's own script) what a
// node is: its classes, top-scope parameters and environment, in YAML, as Puppet's setting external_nodes has it.
//
// It is a program that is run with the node's name, a file with what such a program printed, or a directory of such
// files. A program runs only because the user named it, once a node, with bounds in time and bytes; whoever asks again
// gets the same answer. Every value of an answer has its place in the text.
//
//	classifier.go   who is asked, and how
//	answer.go       what an answer says
//
// It may import source, value and the reader of data files. Start reading at Open, then Classifier.Ask.
package classifier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bunraku/internal/process"
	"bunraku/source"
)

// Bounds of one answer.
const (
	DefaultTimeout = 30 * time.Second
	mostBytes      = 8 << 20
)

// A Classifier answers for any number of nodes, at the same time, each once.
type Classifier struct {
	given   string   // as the user named it
	program []string // and its arguments; nil if it is no program
	dir     bool
	// Timeout is how long one run of a program may take; DefaultTimeout when zero.
	Timeout time.Duration

	mu sync.Mutex
	*answers
}

// answers are those that were given, and what they were read from.
type answers struct {
	files *source.Dir
	read  func() (*many, error) // reads the file that is asked
	asked map[string]func() (*Answer, error)
}

// forget takes files as they are now; nothing has been asked of them.
func (c *Classifier) forget(files *source.Dir) {
	c.answers = &answers{files: files, asked: map[string]func() (*Answer, error){},
		read: sync.OnceValues(func() (*many, error) { return c.readFile(files) })}
}

// Refresh lets files that have changed since they were read be read again. A program is not run again for a node that
// it was asked of.
func (c *Classifier) Refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.program == nil && c.files.Stale() {
		files, _ := c.files.Fresh().(*source.Dir)
		c.forget(files)
	}
}

// endings are those of files with answers.
var endings = []string{".yaml", ".yml", ".json"}

// Open finds out what the user has named: a directory with a file for each node, a file with answers (of one kind for
// all, or by the names of nodes), or else a program, with arguments behind it if there are some.
func Open(given string) (*Classifier, error) {
	c := &Classifier{given: given, Timeout: DefaultTimeout}
	c.forget(source.NewDir(source.DirOptions{Roots: []string{given}}))
	info, err := os.Stat(given)
	switch {
	case err == nil && info.IsDir():
		c.dir = true
		return c, nil
	case err == nil && (info.Mode()&0o111 == 0 || slices.Contains(endings, filepath.Ext(given))):
		return c, nil
	case err == nil:
		c.program = []string{given}
	default:
		if c.program = strings.Fields(given); len(c.program) < 2 {
			return nil, fmt.Errorf("there is no file or directory %s to classify nodes with", given)
		}
	}
	path, err := exec.LookPath(c.program[0])
	if err != nil {
		return nil, fmt.Errorf("the classifier %s is no program that can be run: %w", c.program[0], errors.Unwrap(err))
	}
	c.program[0] = source.Absolute(path)
	return c, nil
}

// String is the classifier as the user named it.
func (c *Classifier) String() string { return c.given }

// readFile reads a file of answers.
func (c *Classifier) readFile(files source.Files) (*many, error) {
	abs := source.Absolute(c.given)
	content, err := files.Read(abs)
	if err != nil {
		return nil, source.Named(err, abs, c.given)
	}
	return parseMany(source.NewFile(filepath.ToSlash(c.given), content.Text))
}

// Ask is what the classifier says of a node. Trouble is a *source.Diagnostic: it is the node's, and not the run's. An
// error of the context is returned as it is.
func (c *Classifier) Ask(ctx context.Context, name string) (*Answer, error) {
	c.mu.Lock()
	now := c.answers
	once := now.asked[name]
	if once == nil {
		once = sync.OnceValues(func() (*Answer, error) { return c.find(ctx, now, name) })
		now.asked[name] = once
	}
	c.mu.Unlock()
	a, err := once()
	if err != nil && ctx.Err() == nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		c.mu.Lock()
		delete(now.asked, name) // somebody else gave up
		c.mu.Unlock()
		return c.Ask(ctx, name)
	}
	return a, err
}

func (c *Classifier) find(ctx context.Context, now *answers, name string) (*Answer, error) {
	switch {
	case c.program != nil:
		return c.run(ctx, name)
	case c.dir:
		return c.inDirectory(now.files, name)
	}
	all, err := now.read()
	switch {
	case err != nil:
		return nil, ofNode(err, c.given, name)
	case all.by[everyone] != nil:
		return answer(all.file, all.by[everyone], name)
	case all.by[name] != nil:
		return answer(all.file, all.by[name], name)
	}
	d := unknownNode(name, c.given)
	if near := source.Nearest(name, slices.Sorted(maps.Keys(all.by))); near != "" {
		d.Help = "did you mean " + near + "?"
	}
	return nil, d
}

// unknownNode says that the classifier knows nothing of a node, in Puppet's words.
func unknownNode(name, where string) *source.Diagnostic {
	return &source.Diagnostic{Code: "E0574", Summary: "Could not find node '" + name + "'; cannot compile",
		Detail: "The classifier " + where + " has no answer for it.",
		Help:   "a node without classes has `classes: {}`"}
}

func (c *Classifier) inDirectory(files source.Files, name string) (*Answer, error) {
	if !plainName(name) {
		return nil, unknownNode(name, c.given)
	}
	for _, ending := range endings {
		path := filepath.Join(c.given, name+ending)
		if !source.Exists(files, source.Absolute(path)) {
			continue
		}
		content, err := files.Read(source.Absolute(path))
		if err != nil {
			return nil, source.Named(err, source.Absolute(path), path)
		}
		return parse(source.NewFile(filepath.ToSlash(path), content.Text), name)
	}
	return nil, unknownNode(name, c.given)
}

// plainName reports whether a name leads to a file of the directory, and nowhere else.
func plainName(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\\\x00")
}

// run runs the program.
func (c *Classifier) run(ctx context.Context, name string) (*Answer, error) {
	if strings.HasPrefix(name, "-") || strings.ContainsRune(name, 0) {
		return nil, unknownNode(name, c.given) // no name of a certificate, and no option for the program
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, c.program[0], append(slices.Clone(c.program[1:]), name)...)
	cmd.Env = surroundings(os.Environ())
	process.Bind(cmd)
	cmd.WaitDelay = time.Second
	out, said := &bounded{most: mostBytes, stop: cancel}, &bounded{most: 1 << 16}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // it has ended well; something that it started has not, and could still print
		err = nil
	}
	failed := func(why, help string) error {
		return &source.Diagnostic{Code: "E0573", Summary: "Failed to find " + name + " via exec: " + why,
			Detail: strings.TrimSpace(said.String()), Help: help}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.over:
		return nil, failed(fmt.Sprintf("the classifier %s prints more than %d bytes", c.given, mostBytes), "")
	case limited.Err() != nil:
		return nil, failed(fmt.Sprintf("the classifier %s did not end within %v", c.given, c.Timeout),
			"--enc-timeout lets it take longer")
	case err != nil:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code, help := fmt.Sprint(exit.ExitCode()), ""
			if exit.ExitCode() < 0 { // then Puppet has no number
				code, help = "", "it was ended: "+exit.String()
			}
			return nil, failed(fmt.Sprintf("Execution of '%s %s' returned %s: %s", c.given, name, code,
				strings.TrimSpace(out.beginning(300))), help)
		}
		return nil, failed(err.Error(), "")
	case strings.TrimSpace(out.String()) == "":
		return nil, unknownNode(name, c.given)
	}
	return parse(source.NewFile(fmt.Sprintf("%s %s", filepath.ToSlash(c.given), name), out.String()), name)
}

// surroundings are the variables that a program gets: as from a Puppet server, its words are nobody's own language, and
// whose home it is does not count.
func surroundings(own []string) []string {
	theirs := slices.DeleteFunc(own, func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains(hidden, name)
	})
	return append(theirs, "LANG=C", "LC_ALL=C")
}

// hidden are the variables that a server keeps from the programs that it runs.
var hidden = []string{"LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "LC_COLLATE", "LC_CTYPE", "LC_MONETARY", "LC_NUMERIC",
	"LC_TIME", "HOME", "USER", "LOGNAME"}

// A bounded buffer keeps what fits, and calls stop when there is more. The buffer is no embedded one: its ReadFrom
// would go past the bound.
type bounded struct {
	kept bytes.Buffer
	most int
	over bool
	stop func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.kept.Len(); len(p) > room {
		if b.over = true; b.stop != nil {
			b.stop()
		}
		b.kept.Write(p[:room])
		return len(p), nil
	}
	return b.kept.Write(p)
}

// String is what was written, or the beginning of it.
func (b *bounded) String() string { return b.kept.String() }

// beginning is as much of what was written as a message can hold.
func (b *bounded) beginning(most int) string {
	return strings.ToValidUTF8(string(b.kept.Bytes()[:min(most, b.kept.Len())]), "?")
}
