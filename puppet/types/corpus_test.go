package types

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
)

// typeTexts are types of every kind.
var typeTexts = []string{"Any", "Undef", "Default", "Scalar", "ScalarData", "Data", "RichData", "RichDataKey",
	"Numeric", "Integer", "Integer[1]", "Integer[default, 5]", "Integer[1, 5]", "Integer[3, 3]",
	"Float", "Float[1.0, 2.5]", "Float[default, 1]", "String", "String[1]", "String[2, 3]", "String[default, 3]", "Enum",
	"Enum['a', 'b']", "Enum['A', 'b', true]", "Enum['abc']", "Pattern", "Pattern[/^a/]", "Pattern[/b/, /c$/]",
	"Regexp", "Regexp[/a/]", "Boolean", "Boolean[true]", "Boolean[false]", "Collection", "Collection[1]",
	"Collection[0, 2]", "Array", "Array[Integer]", "Array[String, 1]", "Array[Any, 2, 2]", "Array[0, 0]", "Array[Data]",
	"Array[Optional[String]]", "Array[Array[Integer]]", "Hash", "Hash[String, Integer]", "Hash[String, Any, 1]",
	"Hash[0, 0]", "Hash[Integer, Array]", "Hash[String, Data, 1, 2]", "Tuple", "Tuple[Integer]", "Tuple[Integer, String]",
	"Tuple[Integer, String, 1, 3]", "Tuple[String, 0]", "Tuple[Integer, 1, default]", "Struct", "Struct[{a => Integer}]",
	"Struct[{a => Optional[Integer]}]", "Struct[{Optional[a] => Integer, b => String}]", "Struct[{NotUndef[a] => Any}]",
	"Struct[{a => Struct[{b => Integer}]}]", "Variant[Integer, String]",
	"Variant[Integer[1, 2], Integer[3, 4], Integer[9, 9]]", "Variant[Enum['a'], Enum['b'], String[5]]",
	"Variant[Undef, String]", "Variant[Array[Integer], Hash[String, Integer]]",
	"Optional", "Optional[Integer]", "Optional['x']", "Optional[Enum['a', 'b']]", "Optional[Variant[Integer, Boolean]]",
	"NotUndef", "NotUndef[String]", "NotUndef[Optional[Integer]]", "NotUndef['x']", "Type", "Type[Integer]",
	"Type[Resource]", "Type[File]",
	"Callable", "Callable[Integer]", "Callable[Integer, String]", "Callable[0, 0]", "Callable[String, 1, 3]",
	"Callable[[Integer], String]", "Callable[Integer, Callable[String]]", "Callable[Integer, Optional[Callable]]",
	"Callable[1, 2]",
	"Iterable", "Iterable[Integer]", "Iterable[String]", "Iterator", "Iterator[Integer]", "Sensitive", "Sensitive[String]",
	"Sensitive[Integer]", "Binary", "SemVer", "SemVer['>=1.0.0 <2.0.0']", "SemVer['1.x', '3.x']", "SemVerRange",
	"Timestamp", "Timestamp['2016-01-01', '2017-01-01']", "Timespan", "Timespan[1, 60]", "Timespan['1-00:00:00']", "URI",
	"URI['http://x.org']", "URI[{scheme => 'http'}]", "CatalogEntry", "Resource", "File", "File['/x']",
	"Resource['notify', 'a']",
	"Class", "Class['a']", "Class['a::b']", "Init", "Init[Integer]", "Init[String, '%x']", "Runtime",
	"Runtime['ruby', 'Symbol']", "Object", "TypeSet", "Deferred", "Error"}

// valueTexts are values of every kind.
var valueTexts = []string{"undef", "default", "true", "false", "0", "1", "3", "-7", "42", "1.0", "2.5", "-0.5", "1e20",
	"''", "'a'", "'A'", "'abc'", "'b'", "'hello world'", "'it\\'s'", `"tab\t nl\n \"q\" \$x"`, "'é'", "/a/", "/a\\/b/",
	"[]", "[1]", "[1, 2]", "[1, 'a']",
	"['a', 'b']", "[undef]", "[[1], [2]]", "[1, undef, 'x', 2.0]", "[{'a' => 1}]", "{}", "{'a' => 1}",
	"{'a' => 1, 'b' => 'x'}", "{'a' => undef}", "{'b' => 'x'}", "{1 => 2}", "{'a' => {'b' => 1}}", "{'a' => {'b' => 'x'}}",
	"{'' => 1}", "{'a' => [1, 2], 3 => 'x'}",
	"Sensitive('s')", "Sensitive(1)", "Binary('aGVsbG8=')", "SemVer('1.2.3')", "SemVer('1.2.3-rc.1+b5')",
	"SemVerRange('>=1.0.0 <2.0.0')", "SemVerRange('1.x')", "Timespan(90)", "Timespan('1-02:03:04.5')",
	"Timestamp('2016-06-01T10:20:30')", "URI('http://u@x.org:8080/p?q=1#f')",
	"Integer", "Integer[1, 2]", "String[1]", "Enum['a', 'b']", "File['/x']", "File", "Class['a']", "Type[Integer]",
	"Array[String]", "Deferred('f', [1])", "Deferred('g')"}

func assignQuestions(n int, seed int64) []question {
	r := rand.New(rand.NewSource(seed))
	var qs []question
	pick := func() string { return typeTexts[r.Intn(len(typeTexts))] }
	for range n {
		switch r.Intn(4) {
		case 0, 1:
			qs = append(qs, question{"assign": []string{pick(), pick()}})
		case 2:
			qs = append(qs, question{"instance": []string{pick(), valueTexts[r.Intn(len(valueTexts))]}})
		case 3:
			qs = append(qs, question{"common": []string{pick(), pick()}})
		}
	}
	return qs
}

func describeQuestions(n int, seed int64) []question {
	r := rand.New(rand.NewSource(seed))
	var qs []question
	for range n {
		qs = append(qs, question{"describe": []string{typeTexts[r.Intn(len(typeTexts))],
			valueTexts[r.Intn(len(valueTexts))]}})
	}
	return qs
}

func codeQuestions() []question {
	var qs []question
	for _, v := range valueTexts {
		qs = append(qs, question{"code": v})
	}
	for _, t := range typeTexts {
		qs = append(qs, question{"code": t}, question{"parse": t})
	}
	return qs
}

func liveCases(n int) int {
	if m, err := strconv.Atoi(os.Getenv("BUNRAKU_CASES")); err == nil {
		return m
	}
	return n
}

func TestRecordedValues(t *testing.T) {
	recorded(t, "values", "texts and types of values, printed types", codeQuestions())
}
func TestRecordedAssign(t *testing.T) {
	recorded(t, "assign", "assignability, instances, common types", assignQuestions(600, 1))
}
func TestRecordedMessage(t *testing.T) {
	recorded(t, "mismatch", "mismatch texts", append(describeQuestions(300, 2), signatureQuestions...))
}
func TestRecordedNew(t *testing.T) { recorded(t, "new", "conversions", codes(newTexts)) }
func TestRecordedErrors(t *testing.T) {
	recorded(t, "errors", "errors of type expressions", append(codes(errorTexts), parses(parseErrors)...))
}
func TestRecordedData(t *testing.T) {
	recorded(t, "data", "rich data", datas(append(valueTexts, typeTexts...)))
}

func TestRecordedAliases(t *testing.T) {
	recorded(t, "alias", "recursive aliases and object types", aliasQuestions())
}

func TestLiveAssign(t *testing.T) {
	if testing.Short() {
		t.Skip("short run")
	}
	qs := append(assignQuestions(liveCases(2500), 11), describeQuestions(liveCases(2500)/3, 12)...)
	compare(t, qs, askPuppet(t, qs))
}

func codes(ss []string) (qs []question) {
	for _, s := range ss {
		qs = append(qs, question{"code": s})
	}
	return qs
}

func parses(ss []string) (qs []question) {
	for _, s := range ss {
		qs = append(qs, question{"parse": s})
	}
	return qs
}

func datas(ss []string) (qs []question) {
	for _, s := range ss {
		qs = append(qs, question{"data": s})
	}
	return qs
}
