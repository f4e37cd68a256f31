package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"bunraku/internal/process"
	"bunraku/puppet/catalog"
	"bunraku/puppet/classifier"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Programs that the user has named are asked about nodes and code. Each has a time and a number of bytes; what it
// leaves behind of its own is ended with it.
const (
	programTime   = 30 * time.Second
	programOutput = 64 << 20
)

// ask runs a program and returns what it prints.
func ask(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	out, errs := &limited{most: programOutput, full: cancel}, &limited{most: 4096}
	cmd.Stdout, cmd.Stderr = out, errs
	process.Bind(cmd)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		_ = process.End(cmd) // what is left of the group; mostly there is none
	}
	if out.more {
		return nil, fmt.Errorf("%s prints more than %d bytes", name, out.most)
	}
	if err != nil {
		if text := strings.TrimSpace(string(errs.text)); text != "" {
			return nil, fmt.Errorf("%s: %w: %s", name, err, text)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out.text, nil
}

// limited keeps so many bytes, notes that there were more, and tells. It is a Writer and nothing else: what can read by
// itself, as a bytes.Buffer can, would read on without a bound.
type limited struct {
	text []byte
	most int
	more bool
	full func() // nil for nobody to be told
}

func (l *limited) Write(p []byte) (int, error) {
	keep := p[:min(len(p), l.most-len(l.text))]
	l.text = append(l.text, keep...)
	if len(keep) < len(p) && !l.more {
		l.more = true
		if l.full != nil {
			l.full()
		}
	}
	return len(p), nil
}

// classify asks the classifier, if there is one, and returns the environment of the node: the one that the classifier
// says, else the one that was asked for. It is asked every time: what it says of a node changes.
func (s *Server) classify(ctx context.Context, node *compiler.Node, environment string) (string, error) {
	if s.opt.Classifier == "" {
		return environment, nil
	}
	c, err := classifier.Open(s.opt.Classifier)
	if err != nil {
		return "", failed("the classifier: %v", err)
	}
	a, err := c.Ask(ctx, node.Name)
	var d *source.Diagnostic
	switch {
	case errors.As(err, &d):
		return "", failed("Failed when searching for node %s: %s", node.Name, d.Summary)
	case err != nil:
		return "", failed("Failed when searching for node %s: %v", node.Name, err)
	}
	for _, k := range a.Classes {
		node.Classes = append(node.Classes, eval.Assigned{Name: k.Name, Params: k.Params})
	}
	node.Parameters = a.Parameters
	if a.Environment != "" {
		environment = a.Environment
	}
	return environment, nil
}

// external is what trusted_external_command prints of a node; nil if there is none. A directory holds several programs,
// whose answers are called by their names (puppet/trusted_external.rb).
func (s *Server) external(ctx context.Context, name string) (*value.Hash, error) {
	command := s.opt.TrustedExternal
	if command == "" {
		return nil, nil
	}
	one := func(path string) (value.Value, error) {
		text, err := ask(ctx, path, name)
		if err != nil {
			return nil, failed("trusted external data of %s: %v", name, err)
		}
		v, err := catalog.ReadExact(text)
		var long *catalog.LongNumber
		switch {
		case errors.As(err, &long):
			return nil, failed("trusted external data of %s: %s prints %v", name, path, long)
		case err != nil:
			return nil, failed("trusted external data of %s: %s prints no JSON: %v", name, path, err)
		}
		return v, nil
	}
	info, err := os.Stat(command)
	if err != nil {
		return nil, failed("trusted external data of %s: %v", name, err)
	}
	if !info.IsDir() {
		v, err := one(command)
		if err != nil {
			return nil, err
		}
		h, is := v.(*value.Hash)
		if !is {
			return nil, failed("trusted external data of %s: %s prints no object", name, command)
		}
		return h, nil
	}
	entries, err := os.ReadDir(command)
	if err != nil {
		return nil, failed("trusted external data of %s: %v", name, err)
	}
	b := value.NewHashBuilder(len(entries))
	for _, e := range entries {
		path := filepath.Join(command, e.Name())
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		key := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if _, twice := b.Get(value.String(key)); twice {
			return nil, failed("There is more than one '%s' script in %s", key, command)
		}
		v, err := one(path)
		if err != nil {
			return nil, err
		}
		b.SetString(key, v)
	}
	return b.Hash(), nil
}

// codeID is the id of an environment's code; "" if there is none.
func (s *Server) codeID(ctx context.Context, environment string) (string, error) {
	if s.opt.CodeID == "" {
		return "", nil
	}
	text, err := ask(ctx, s.opt.CodeID, environment)
	if err != nil {
		return "", failed("the id of the code of '%s' is not known: %v", environment, err)
	}
	id := strings.TrimSpace(string(text))
	if !validCodeID(id) {
		return "", failed("%s prints no id of code: %q", s.opt.CodeID, id)
	}
	return id, nil
}

// validCodeID is puppetserver's rule: letters, digits, and - _ ; :
func validCodeID(id string) bool {
	return id != "" && len(id) <= 200 && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_;:", c)
	})
}
