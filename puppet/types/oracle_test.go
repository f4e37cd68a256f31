package types

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
	"github.com/rogpeppe/go-internal/txtar"
)

var record = flag.Bool("record", false, "ask Puppet and write testdata/*.txtar")

// A question is one line for testdata/oracle.rb; an answer is its reply.
type (
	question map[string]any
	answer   map[string]any
)

func marshal(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// askPuppet answers all questions in one process.
func askPuppet(t testing.TB, qs []question) []answer {
	live.Puppet(t)
	var in bytes.Buffer
	for _, q := range qs {
		in.WriteString(marshal(q) + "\n")
	}
	cmd := live.Command("ruby", "-W0", "testdata/oracle.rb")
	cmd.Stdin = &in
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ruby: %v\n%s", err, errs.String())
	}
	var as []answer
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var a answer
		if err := json.Unmarshal(sc.Bytes(), &a); err != nil {
			t.Fatalf("%v: %s", err, sc.Text())
		}
		as = append(as, a)
	}
	if len(as) != len(qs) {
		t.Fatalf("%d questions, %d answers\n%s", len(qs), len(as), errs.String())
	}
	return as
}

// evaluate is the value of a literal, type or conversion: as much of the language as the questions use.
func evaluate(code string) (value.Value, error) {
	f := source.NewFile("q.pp", code)
	tree, diags := syntax.Parse(f, syntax.Options{})
	if diags.HasErrors() {
		return nil, errors.New(diags[0].Summary)
	}
	var v value.Value = value.Undef{}
	env := map[string]T{}
	resolve := map[string]func(Load) error{}
	var load Load
	load = func(name string) (T, error) {
		for n, t := range env {
			if strings.EqualFold(n, name) {
				if r := resolve[n]; r != nil {
					resolve[n] = nil
					if err := r(load); err != nil {
						return nil, err
					}
				}
				return t, nil
			}
		}
		return nil, nil
	}
	for _, d := range tree.Defs {
		if a, is := d.(*syntax.TypeAlias); is {
			env[a.Name], resolve[a.Name] = Declare(a.Name, a.X, f)
		}
	}
	for _, s := range tree.Body.Stmts {
		if _, def := s.(syntax.Definition); def {
			continue
		}
		var err error
		if v, err = eval(s, load); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func evalAll(es []syntax.Expr, load Load) ([]value.Value, error) {
	out := make([]value.Value, len(es))
	for i, e := range es {
		v, err := eval(e, load)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func eval(e syntax.Expr, load Load) (value.Value, error) {
	switch e := e.(type) {
	case *syntax.Paren:
		return eval(e.X, load)
	case *syntax.Access:
		l, err := eval(e.Left, load)
		if err != nil {
			return nil, err
		}
		args, err := evalAll(e.Keys, load)
		if err != nil {
			return nil, err
		}
		v, err := Access(l.(T), args)
		if _, issue := err.(*ArgError); err != nil && !issue {
			err = fmt.Errorf("Error while evaluating a '[]' expression, %w", err)
		}
		return v, err
	case *syntax.Call:
		l, err := eval(e.Functor, load)
		if err != nil {
			return nil, err
		}
		args, err := evalAll(e.Args, load)
		if err != nil {
			return nil, err
		}
		t, is := l.(T)
		if !is {
			return nil, fmt.Errorf("no function %v here", l)
		}
		v, err := (&Converter{Load: load}).New(t, args...)
		if err != nil {
			return nil, fmt.Errorf("Error while evaluating a Function Call, %w", err)
		}
		return v, nil
	case *syntax.List:
		vs, err := evalAll(e.Elems, load)
		return value.NewArray(vs...), err
	case *syntax.Hash:
		b := value.NewHashBuilder(4)
		for _, en := range e.Entries {
			k, err := eval(en.Key, load)
			if err != nil {
				return nil, err
			}
			v, err := eval(en.Value, load)
			if err != nil {
				return nil, err
			}
			b.Set(k, v)
		}
		return b.Hash(), nil
	case *syntax.Unary:
		v, err := eval(e.X, load)
		switch n := v.(type) {
		case value.Int:
			return -n, err
		case value.Float:
			return -n, err
		}
	}
	x := &interpreter{nil, load}
	return x.any(e)
}

func evalType(code string) (T, error) {
	v, err := evaluate(code)
	if err != nil {
		return nil, err
	}
	t, is := v.(T)
	if !is {
		return nil, fmt.Errorf("%s is no type", code)
	}
	return t, nil
}

func failed(err error) answer { return answer{"error": err.Error()} }

// reply is our answer to a question, in the oracle's form.
func reply(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{"error": fmt.Sprint("panic: ", r)}
		}
	}()
	str := func(i int, key string) string {
		switch v := q[key].(type) {
		case []string:
			return v[i]
		case []any:
			return v[i].(string)
		}
		panic("not a list: " + key)
	}
	two := func(key string) (T, T, error) {
		a, err := evalType(str(0, key))
		if err != nil {
			return nil, nil, err
		}
		b, err := evalType(str(1, key))
		return a, b, err
	}
	switch {
	case q["code"] != nil:
		v, err := evaluate(q["code"].(string))
		if err != nil {
			return failed(err)
		}
		s, err := Format(v, value.Default{})
		if err != nil {
			s = "!" + err.Error()
		}
		return answer{"text": value.ToString(v), "literal": LiteralOf(v), "inspect": value.Inspect(v),
			"type":  InferSet(v).String(),
			"infer": Infer(v).String(), "general": Generalize(Infer(v)).String(), "string": s}
	case q["assign"] != nil:
		a, b, err := two("assign")
		if err != nil {
			return failed(err)
		}
		return answer{"ok": Assignable(a, b)}
	case q["common"] != nil:
		a, b, err := two("common")
		if err != nil {
			return failed(err)
		}
		return answer{"text": Common(a, b).String()}
	case q["instance"] != nil, q["describe"] != nil:
		key := "instance"
		if q["describe"] != nil {
			key = "describe"
		}
		t, err := evalType(str(0, key))
		if err != nil {
			return failed(err)
		}
		v, err := evaluate(str(1, key))
		if err != nil {
			return failed(err)
		}
		if key == "instance" {
			return answer{"ok": IsInstance(t, v)}
		}
		return answer{"text": DescribeMismatch("X", t, InferSet(v))}
	case q["parse"] != nil:
		t, err := Parse(q["parse"].(string), nil)
		if err != nil {
			return failed(err)
		}
		return answer{"text": t.String(), "normal": Normalize(t).String(), "general": Generalize(t).String()}
	case q["data"] != nil:
		v, err := evaluate(q["data"].(string))
		if err != nil {
			return failed(err)
		}
		d, err := ToData(v)
		if err != nil {
			return failed(err)
		}
		var data any
		if err := json.Unmarshal([]byte(jsonOf(d)), &data); err != nil {
			return failed(err)
		}
		return answer{"data": data}
	case q["params"] != nil:
		t, err := evalType(str(1, "params"))
		if err != nil {
			return failed(err)
		}
		v, err := evaluate(str(2, "params"))
		if err != nil {
			return failed(err)
		}
		if err := (*Judge)(nil).ValidateParameters(str(0, "params"), t.(*Struct), v.(*value.Hash), false, nil); err != nil {
			return failed(err)
		}
		return answer{"text": ""}
	case q["call"] != nil:
		var sigs []Signature
		for _, s := range q["call"].([]any) {
			pair := s.([]any)
			t, err := evalType(pair[0].(string))
			if err != nil {
				return failed(err)
			}
			sig := Signature{Type: t.(*Callable)}
			for _, n := range pair[1].([]any) {
				sig.Names = append(sig.Names, n.(string))
			}
			sigs = append(sigs, sig)
		}
		v, err := evaluate(q["args"].(string))
		if err != nil {
			return failed(err)
		}
		return answer{"text": DescribeSignatures("f", sigs, v.(*value.Array).Elems, nil)}
	}
	return answer{"error": "unknown question"}
}

// jsonOf writes plain data as JSON.
func jsonOf(v value.Value) string {
	switch v := v.(type) {
	case value.Undef:
		return "null"
	case value.String:
		return marshal(string(v))
	case *value.Array:
		parts := make([]string, v.Len())
		for i, e := range v.Elems {
			parts[i] = jsonOf(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *value.Hash:
		var parts []string
		for _, e := range v.Entries() {
			parts = append(parts, marshal(value.ToString(e.Key))+":"+jsonOf(e.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return value.ToString(v)
}

// agree compares answers field by field; what Ruby shows of its own objects is left out.
func agree(got, want answer) bool {
	if w, has := want["error"].(string); has {
		for _, stumble := range [...]string{"undefined method", "undefined local", "name_or_init_hash",
			"stack level too deep", "wrong number of arguments"} {
			if strings.Contains(w, stumble) {
				return true // Puppet stumbled over itself
			}
		}
		g, _ := got["error"].(string)
		// The evaluator leads these in; here is none.
		w = strings.TrimPrefix(strings.TrimPrefix(w, "Evaluation Error: "), "Error while evaluating a Type-Name, ")
		return g == w
	}
	for k, w := range want {
		if s, is := w.(string); is && k == "inspect" && (s == "" || strings.Contains(s, "#<")) {
			continue
		}
		if marshal(got[k]) != marshal(w) {
			return false
		}
	}
	return true
}

func compare(t *testing.T, qs []question, as []answer) {
	t.Helper()
	bad := 0
	for i, q := range qs {
		if got := reply(q); !agree(got, as[i]) {
			if bad++; bad <= 60 {
				t.Errorf("%s\n got %s\nwant %s", marshal(q), marshal(got), marshal(as[i]))
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d differ", bad, len(qs))
	}
}

// recorded compares with a golden file; with -record it is written first, from Puppet.
func recorded(t *testing.T, name, what string, qs []question) {
	path := "testdata/" + name + ".txtar"
	if *record {
		as := askPuppet(t, qs)
		var b bytes.Buffer
		for i, q := range qs {
			fmt.Fprintf(&b, "%s\t%s\n", marshal(q), marshal(as[i]))
		}
		ar := &txtar.Archive{Comment: []byte("Answers of Puppet 7.23, recorded by go test -record: " + what +
			".\nEach line is a question for oracle.rb, a tab, and the answer.\n"),
			Files: []txtar.File{{Name: name, Data: b.Bytes()}}}
		if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var old []question
	var as []answer
	for line := range strings.Lines(string(ar.Files[0].Data)) {
		in, out, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		var q question
		var a answer
		if err := errors.Join(json.Unmarshal([]byte(in), &q), json.Unmarshal([]byte(out), &a)); err != nil {
			t.Fatal(err)
		}
		old, as = append(old, q), append(as, a)
	}
	compare(t, old, as)
}
