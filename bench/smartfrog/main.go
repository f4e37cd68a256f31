// Command smartfrog measures the SmartFrog compiler: the processor time of the whole command, from the start of the
// process to the last byte of its JSON, on specifications of several shapes and sizes. `-write SHAPE -lines N` prints a
// specification instead, to give it to another compiler.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"bunraku/bench/smartfrog/shape"
)

func main() {
	write := flag.String("write", "", "print a specification of this `SHAPE` and end")
	lines := flag.Int("lines", 50_000, "how many lines -write prints")
	only := flag.String("shape", "", "measure this shape only")
	command := flag.String("command", "", "measure this `COMMAND FILE` instead of bunraku smartfrog FILE")
	flag.Parse()
	if err := run(*write, *lines, *only, *command); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(write string, lines int, only, command string) error {
	for _, s := range shape.All() {
		if s.Name == write {
			_, err := os.Stdout.WriteString(s.Text(lines))
			return err
		}
	}
	if write != "" {
		return fmt.Errorf("no shape %q", write)
	}
	dir, err := os.MkdirTemp("", "bench-smartfrog")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := []string{command}
	if command == "" {
		binary := filepath.Join(dir, "bunraku")
		if out, err := exec.Command("go", "build", "-o", binary, "bunraku/cmd/bunraku").CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		args = []string{binary, "smartfrog"}
	}
	fmt.Printf("%-10s %9s %10s %12s\n", "shape", "lines", "CPU s", "µs a line")
	for _, s := range shape.All() {
		if only != "" && s.Name != only {
			continue
		}
		for _, n := range []int{5_000, 50_000, 500_000} {
			file := filepath.Join(dir, "spec.sf")
			if err := os.WriteFile(file, []byte(s.Text(n)), 0o600); err != nil {
				return err
			}
			cmd := exec.Command(args[0], append(args[1:], file)...)
			if out, err := cmd.Output(); err != nil {
				return fmt.Errorf("%s %d: %w\n%.2000s", s.Name, n, err, out)
			}
			cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			fmt.Printf("%-10s %9d %10.3f %12.2f\n", s.Name, n, cpu.Seconds(), float64(cpu)/float64(time.Microsecond)/float64(n))
		}
	}
	return nil
}
