package main

import (
	"strings"
	"testing"
)

func TestSummarise(t *testing.T) {
	in := `{"Action":"output","Package":"bunraku/a","Test":"TestX","Output":"    x_test.go:3: got 1\n"}
{"Action":"fail","Package":"bunraku/a","Test":"TestX","Elapsed":0.1}
{"Action":"pass","Package":"bunraku/a","Test":"TestY/one","Elapsed":0.1}
{"Action":"pass","Package":"bunraku/a","Test":"TestY","Elapsed":0.1}
{"Action":"output","Package":"bunraku/a","Test":"TestZ","Output":"    z_test.go:9: no oracle\n"}
{"Action":"output","Package":"bunraku/a","Test":"TestZ","Output":"--- SKIP: TestZ (0.00s)\n"}
{"Action":"skip","Package":"bunraku/a","Test":"TestZ","Elapsed":0}
{"Action":"fail","Package":"bunraku/a","Elapsed":1.5}
not json
`
	var out strings.Builder
	if code := summarise(strings.NewReader(in), &out); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"FAIL  a ", "x_test.go:3: got 1", "skipped (1): no oracle\n    a TestZ\n", "not json\n",
		"\n1 passed, 1 failed, 1 skipped\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if code := summarise(strings.NewReader(""), &out); code != 1 {
		t.Error("no test at all is no success")
	}
	if code := summarise(strings.NewReader(`{"Action":"pass","Package":"a","Test":"T"}`), &out); code != 0 {
		t.Error("a passed test is a success")
	}
}
