package diff

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// markdownMost is how many characters a comment on a pull request may have, with some to spare: GitHub takes 65,536.
const markdownMost = 60_000

// Markdown prints a report as a comment for a pull request: counts, then one folded part a group. It is never longer
// than a comment may be; what does not fit is counted.
func (r *Report) Markdown(w io.Writer) error {
	var head strings.Builder
	fmt.Fprintf(&head, "### bunraku diff: %s, %s → %s\n\n", code(r.Name), code(r.From), code(r.To))
	parts := r.counts(Changed, Fails, Mended, Gone, Comes, Unknown, CannotChange, Equal, FailsBoth, Excused, NotDone)
	fmt.Fprintf(&head, "**%s**: %s", plural(len(r.Nodes), "node"), strings.Join(parts, ", "))
	if text := r.verdict(); text != "" {
		head.WriteString(". " + text)
	}
	head.WriteString("\n\n" + r.markdownConsequences())
	var tail strings.Builder
	p := &printer{r: r}
	p.excuses()
	p.unknowns()
	p.effectless()
	p.notes()
	for _, l := range p.lines {
		if l != "" {
			fmt.Fprintf(&tail, "- %s\n", sentence(l))
		}
	}
	var sections []string
	for _, f := range r.Failures {
		sections = append(sections, r.markdownFailure(f))
	}
	for _, g := range r.Groups {
		sections = append(sections, r.markdownGroup(g))
	}
	text, rest := head.String(), cutText(tail.String(), 6000)
	for i, s := range sections {
		more := fmt.Sprintf("\n%s more, which do not fit here.\n\n", plural(len(sections)-i, "group"))
		if len(text)+len(s)+len(rest)+len(more) > markdownMost {
			text += more
			break
		}
		text += s
	}
	_, err := io.WriteString(w, text+rest)
	return err
}

func (r *Report) markdownFailure(f *Failure) string {
	p := &printer{r: r}
	at := ""
	if f.Place.Known() {
		at = "at " + code(f.Place.String()) + "\n\n"
	}
	if f.Was != nil {
		at += "was: " + code(cutText(f.Was.Summary, 300)) + "\n\n"
	}
	return fmt.Sprintf("<details open><summary><b>%s</b> on %s: <code>%s</code></summary>\n\n%s%son %s\n\n"+
		"</details>\n\n", f.State, plural(len(f.Nodes), "node"), prose(cutText(f.told(), 300)), at,
		markdownCause(p, f.Cause), sentence(p.names(f.Nodes)))
}

// markdownGroup is one group, folded.
func (r *Report) markdownGroup(g *Group) string {
	p := &printer{r: r, level: 0}
	for _, it := range g.Items {
		p.item(it.Change, "", false)
		if len(p.lines) > 150 {
			p.line("…")
			break
		}
	}
	var body []string
	for _, l := range p.lines {
		l = strings.TrimPrefix(l, "  ") // so that - and + stand first, and are coloured
		body = append(body, cutText(l, 400))
	}
	text := cutText(strings.Join(body, "\n"), 8000)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	more := ""
	if n := len(g.Items); n > 1 {
		more = fmt.Sprintf(" and %d more", n-1)
	}
	return fmt.Sprintf("<details><summary><b>%s</b> on %s: <code>%s</code>%s</summary>\n\n%sdiff\n%s\n%s\n\n%son %s\n\n"+
		"</details>\n\n",
		g.Letter, plural(len(g.Nodes), "node"), prose(cutText(g.Items[0].headline(), 200)), more, fence, text,
		fence, markdownCause(p, g.Cause), sentence(p.names(g.Nodes)))
}

func markdownCause(p *printer, c *Cause) string {
	text := p.causeText(c, "")
	if text == "" {
		return ""
	}
	return "from " + code(text) + "\n\n"
}

// code is a text as code, whatever is in it: nothing in there is markup, names nobody and leads nowhere.
func code(s string) string {
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if fence != "`" || strings.TrimSpace(s) != s { // one blank on either side is taken away
		s = " " + s + " "
	}
	return fence + s + fence
}

// hostile is what a server makes more of than text: people who are told, issues and addresses that are linked,
// pictures.
var hostile = regexp.MustCompile("@|#[0-9]|![0-9\\[]|GH-|://|www\\.|\\]\\(|[`<*$]")

// sentence is a text on a line of its own: as code if a server would make more of it. All of it is: secrets are looked
// for in what is written.
func sentence(s string) string {
	if hostile.MatchString(s) {
		return code(s)
	}
	return prose(s)
}

// prose is a text on one line, so that it begins no block, and without markup of HTML. Other characters stay as they
// are: secrets are looked for in what is written.
func prose(s string) string {
	return html.EscapeString(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s))
}

// cutText shortens a text.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most] + "… " + plural(utf8.RuneCountInString(s[most:]), "character") + " more"
}
