package report

import (
	"bunraku/source"
	"bunraku/verify/model"
)

// A Remedy is how a fix is to be written: as an attribute or a declaration where the resource is declared or, if that
// is not the user's code to edit, as a statement of its own in code that is.
type Remedy struct {
	Edit      *source.Edit // nil if there are no words that an attribute can be added to
	Statement string       // "" for an attribute

	fix  *model.Fix
	part bool // there are nodes that it was not tried on
}

// remedy says how a finding's fix is to be written; nil if it has none.
func (run *Run) remedy(f *model.Finding) *Remedy {
	if f.Fix == nil {
		return nil
	}
	r := &Remedy{fix: f.Fix, part: run.Part}
	if run.owns(f.Fix.Resource.Place) {
		edit := func() (source.Edit, bool) { return AddAttribute(f.Fix.Resource, f.Fix.Attr, f.Fix.Value) }
		if len(f.Fix.Declares) > 0 {
			edit = func() (source.Edit, bool) { return Declare(f.Fix.Resource, f.Fix.Declarations()) }
		}
		if e, ok := edit(); ok {
			r.Edit = &e
		}
		return r
	}
	r.Statement = f.Fix.Statement()
	return r
}

// owns reports whether a place is in the user's own code. What has no place has no file that could be somebody else's.
func (run *Run) owns(p source.Place) bool {
	return run.Own == nil || !p.Known() || run.Own(p.File.Name)
}

// help is the advice in words.
func (r *Remedy) help() string {
	text := "add " + r.fix.String() + " to " + r.fix.Resource.Ref()
	if len(r.fix.Declares) > 0 {
		text = "declare " + r.fix.String() + " beside " + r.fix.Resource.Ref()
	}
	if r.Statement != "" {
		text = "write in your own code: " + r.Statement
	}
	switch {
	case r.fix.Verified && r.part:
		text += " (verified on the nodes that were looked at)"
	case r.fix.Verified:
		text += " (verified)"
	}
	return text
}
