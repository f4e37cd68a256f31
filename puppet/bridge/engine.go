package bridge

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"bunraku/internal/process"
)

// An Engine runs Ruby programs. System runs the Ruby that is installed; another may bring its own.
type Engine interface {
	// Start runs a program. What it reads and writes are lines.
	Start(program string) (Process, error)
}

// A Process is a Ruby program that runs.
type Process interface {
	// Send writes a line, within some time.
	Send(line []byte, within time.Duration) error
	// Receive reads a line. The error is ErrTime when none comes in time, ErrSize when it is too long.
	Receive(within time.Duration) ([]byte, error)
	// Stop ends the program at once, with everything that it started.
	Stop()
	// Complaints is the end of what the program wrote to its standard error.
	Complaints() string
}

var (
	// ErrTime says that the program did not answer in time.
	ErrTime = errors.New("no answer in time")
	// ErrSize says that the program's answer is too long.
	ErrSize = errors.New("the answer is too long")
)

// System is the installed Ruby.
type System struct {
	Command string // "ruby" when empty
}

const (
	maxLine       = 256 << 20 // bytes of one answer
	maxComplaints = 4 << 10
)

// markName begins the variable by which what Ruby code has started is found again.
const markName = "BUNRAKU_RUBY_RUN="

// Start starts the installed Ruby. The program comes through its standard input, so there is no file of ours to be
// found or changed.
func (s System) Start(program string) (Process, error) {
	command := s.Command
	if command == "" {
		command = "ruby"
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return nil, fmt.Errorf("there is no program %s", command)
	}
	const boot = `eval($stdin.read(Integer(ARGV.shift)).force_encoding("UTF-8"), TOPLEVEL_BINDING, "bunraku")`
	cmd := exec.Command(path, "-W0", "-EUTF-8:UTF-8", "-e", boot, "--", strconv.Itoa(len(program)))
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	p := &systemProcess{cmd: cmd, in: in, out: out, lines: bufio.NewReaderSize(out, 64<<10)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &p.complaints
	cmd.WaitDelay = time.Second // what the program started may hold on to its standard error
	process.OwnGroup(cmd)
	p.mark = markName + rand.Text()
	cmd.Env = append(os.Environ(), p.mark)
	err = cmd.Start()
	err = errors.Join(err, theirIn.Close(), theirOut.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	if err := p.write([]byte(program), 10*time.Second); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

type systemProcess struct {
	cmd        *exec.Cmd
	in, out    *os.File
	lines      *bufio.Reader
	complaints tail
	stop       sync.Once
	mark       string // in its environment, and so in that of everything that it starts
}

func (p *systemProcess) Send(line []byte, within time.Duration) error {
	return p.write(append(line, '\n'), within)
}

func (p *systemProcess) write(text []byte, within time.Duration) error {
	if err := p.in.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err := p.in.Write(text)
	return inTime(err)
}

func (p *systemProcess) Receive(within time.Duration) ([]byte, error) {
	if err := p.out.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	var line []byte
	for {
		part, err := p.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, inTime(err)
		case len(line) > maxLine:
			return nil, ErrSize
		}
	}
}

func inTime(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrTime
	}
	return err
}

func (p *systemProcess) Stop() {
	p.stop.Do(func() {
		p.in.Close()
		_ = process.End(p.cmd) // it may have ended by itself
		endStrays(p.mark)
		p.cmd.Wait() // how it ended is no news
		p.out.Close()
	})
}

func (p *systemProcess) Complaints() string { return p.complaints.String() }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if extra := len(t.text) - maxComplaints; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(bytes.ToValidUTF8(t.text, nil)))
}
