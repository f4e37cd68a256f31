package report

// meanings says what each code of verify and check is about, in a few words. docs/codes.md lists all codes of the program.
var meanings = map[string]string{
	"A0001": "a line of an assertions file cannot be read",
	"C0001": "dependency cycle",
	"C0002": "a relationship to what is not in the catalog",
	"V101":  "order missing",
	"V102":  "cannot succeed from a fresh machine",
	"V201":  "not idempotent",
	"V202":  "declared state is not kept",
	"V203":  "service not restarted",
	"V204":  "assertion does not hold",
	"V301":  "undecided",
	"V901":  "a comment that ignores nothing",
	"V902":  "a baseline that lists what is gone",
}

// Meaning is what a code is about, in a few words; "" for codes whose messages speak for themselves.
func Meaning(code string) string { return meanings[code] }
