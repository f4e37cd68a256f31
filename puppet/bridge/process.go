package bridge

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

//go:embed runtime/*.rb runtime/library/*.rb
var runtime embed.FS

// program is the Ruby program, its files in the order in which they build on each other.
func program() (string, error) {
	var b strings.Builder
	for _, name := range []string{"pipe", "wire", "values", "types", "puppet", "scope", "functions", "tasks", "machine"} {
		text, err := runtime.ReadFile("runtime/" + name + ".rb")
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// A message is what goes to Ruby.
type message struct{ b value.HashBuilder }

func do(what string) *message { return new(message).set("do", value.String(what)) }

func (m *message) set(key string, v value.Value) *message {
	m.b.SetString(key, v)
	return m
}

// trouble is why Ruby gave no answer; the process is gone.
type trouble struct{ code, text string }

func (t *trouble) Error() string { return t.text }

// A raised is an exception in Ruby, which may be handed back to Ruby code that called what raised it.
type raised struct {
	text, class string
	number      value.Value // of the exception
	process     Process     // where it is kept
	missing     bool        // our runtime lacks something of Puppet
	grave       bool        // Puppet does not rescue it: it is told without the call around it
}

func (r *raised) Error() string { return r.text }

// start makes sure that Ruby runs.
func (b *Bridge) start() error {
	if b.own != nil {
		if b.loaded == nil {
			b.loaded = map[string]*function{}
		}
		return nil
	}
	if b.process != nil {
		return nil
	}
	if b.starts >= maxStarts {
		return &trouble{CodeEnded, fmt.Sprintf("Ruby had to be stopped %d times; it is not started again", b.starts)}
	}
	text, err := program()
	if err != nil {
		return err
	}
	b.starts++
	p, err := b.opt.Engine.Start(text)
	if err != nil {
		b.starts = maxStarts
		return &trouble{CodeNoRuby, "Ruby cannot be started: " + err.Error()}
	}
	b.process, b.loaded = p, map[string]*function{}
	_, err = b.do(do("start").set("libraries", value.Strings(b.opt.Libraries...)).set("version",
		value.String(b.opt.Version)).
		set("settings", b.opt.Settings).set("memory", value.Int(b.opt.Memory)))
	return err
}

// stop ends the process.
func (b *Bridge) stop() {
	if b.process != nil {
		b.process.Stop()
		b.process, b.loaded = nil, nil
	}
}

// do sends a message and serves Ruby's questions until its answer comes.
func (b *Bridge) do(m *message) (value.Value, error) {
	if err := b.send(m); err != nil {
		return nil, err
	}
	for {
		answer, err := b.receive()
		if err != nil {
			return nil, err
		}
		if ask, is := answer.At("ask").(value.String); is {
			if err := b.reply(string(ask), answer); err != nil {
				return nil, err
			}
			continue
		}
		if text, is := answer.At("error").(value.String); is {
			if n, is := answer.At("abort").(value.Int); is && int(n) < len(b.interrupted) && n >= 0 {
				b.interrupted[n].Resume()
			}
			class := value.ToString(answer.At("class"))
			if class == "Bunraku::Unknown" {
				return nil, &opaque{&value.Opaque{Why: string(text)}}
			}
			missing, _ := answer.At("missing").(value.Bool)
			grave, _ := answer.At("grave").(value.Bool)
			return nil, &raised{text: string(text), class: class, number: answer.At("raised"), process: b.process,
				missing: bool(missing), grave: bool(grave)}
		}
		v, given := answer.GetString("value")
		if !given {
			return nil, b.garbage("neither a value nor an error")
		}
		return v, nil
	}
}

func (b *Bridge) send(m *message) error {
	if b.process == nil {
		return &trouble{CodeEnded, "Ruby has ended"}
	}
	if err := b.process.Send(appendValue(nil, m.b.Hash()), b.left()); err != nil {
		return b.broken(err)
	}
	return nil
}

// left is how much of its own time Ruby still has.
func (b *Bridge) left() time.Duration { return max(b.opt.Timeout-b.spent, time.Millisecond) }

func (b *Bridge) receive() (*value.Hash, error) {
	began := time.Now()
	line, err := b.process.Receive(b.left())
	b.spent += time.Since(began)
	if err != nil {
		return nil, b.broken(err)
	}
	v, err := parse(line)
	h, is := v.(*value.Hash)
	if err != nil || !is {
		return nil, b.garbage(shortened(string(line)))
	}
	return h, nil
}

func shortened(s string) string {
	const most = 60
	s = strings.ToValidUTF8(strings.TrimSpace(s), "?")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// what is being run, for messages.
func (b *Bridge) what() string {
	if len(b.frames) == 0 {
		return "Bunraku's own Ruby code"
	}
	return b.frames[len(b.frames)-1].name
}

// broken ends a process that gave no answer.
func (b *Bridge) broken(err error) error {
	complaints := b.process.Complaints()
	b.stop()
	switch {
	case errors.Is(err, ErrTime):
		return &trouble{CodeTime, fmt.Sprintf("Ruby was stopped because %s did not come back within %v", b.what(),
			b.opt.Timeout)}
	case errors.Is(err, ErrSize):
		return &trouble{CodeGarbage, fmt.Sprintf("Ruby was stopped because the answer of %s is longer than %d bytes",
			b.what(), maxLine)}
	}
	text := "Ruby ended while it ran " + b.what()
	if complaints != "" {
		text += ": " + shortened(lastLine(complaints))
	}
	return &trouble{CodeEnded, text}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

func (b *Bridge) garbage(text string) error {
	b.stop()
	return &trouble{CodeGarbage, fmt.Sprintf("Ruby was stopped because %s sent something that is no answer: %s", b.what(),
		text)}
}

// reply answers a question of Ruby's.
func (b *Bridge) reply(question string, m *value.Hash) error {
	f := b.frameOf(m)
	if f == nil {
		return b.garbage("a question of no call")
	}
	var v value.Value
	var err error
	why := f.call.Attempt(func() { v, err = b.answer(f, question, m) })
	if why != nil {
		if b.process == nil {
			why.Resume()
		}
		return b.send(b.interruption(why))
	}
	if err != nil {
		return b.send(b.failed(err))
	}
	return b.send(new(message).set("value", value.OrUndef(v)))
}

// interruption tells Ruby that the compiler has given up. What Ruby code can rescue in Puppet it can rescue here.
func (b *Bridge) interruption(why *eval.Interruption) *message {
	b.interrupted = append(b.interrupted, why)
	class := "Puppet::PreformattedError"
	if why.Break {
		class = "Puppet::Pops::Evaluator::PuppetStopIteration"
	}
	return new(message).set("error", value.String(why.Text)).set("class", value.String(class)).
		set("abort", value.Int(len(b.interrupted)-1)).set("rescuable", value.Bool(why.Failure || why.Break))
}

// failed tells Ruby of an error.
func (b *Bridge) failed(err error) *message {
	m := new(message).set("error", value.String(err.Error()))
	var r *raised
	var c *classed
	var o *opaque
	switch {
	case errors.As(err, &o):
		m.set("class", value.String("Bunraku::Unknown"))
	case errors.As(err, &r) && r.process == b.process:
		m.set("raised", r.number)
	case errors.As(err, &c):
		m.set("class", value.String(c.class))
	}
	return m
}

// A classed is an error that Ruby code sees as an exception of a class.
type classed struct{ class, text string }

func (c *classed) Error() string { return c.text }
