package mupuppet

// The bodies of declarations, H →_H H' and e : H →_R e' : H' (C.3). The names are those of the thesis, §5.2.2.2.
//
// Erratum: the paper prints →_H for both arrows, and e : H → e' : H' in the last rule, so that attributes could step
// before the title: that is not deterministic. The thesis's A.3.3 has them right, without names.

// Rule RbodyExp (thesis, §5.2.2.2; ResStepII in C.3):  e → e'  ⟹  x ⇒ e, H →_H x ⇒ e', H.
func rbodyExp(_ *Config, t term) verdict {
	h, ok := t.(*Attr)
	if !ok || h == nil || h.E.normal() {
		return noMatch
	}
	return premise(h.E, func(e term) term { return consAttr(h.at, h.Name, e.(Expr), h.Rest) })
}

// Rule RbodyStep (thesis, §5.2.2.2; ResStepIII in C.3):  H →_H H'  ⟹  x ⇒ v, H →_H x ⇒ v, H'.
func rbodyStep(_ *Config, t term) verdict {
	h, ok := t.(*Attr)
	if !ok || h == nil || !h.E.normal() {
		return noMatch
	}
	return premise(h.Rest, func(rest term) term { return consAttr(h.at, h.Name, h.E, rest.(*Attr)) })
}

// Rule RName (thesis, §5.2.2.2):  e → e'  ⟹  e : H →_R e' : H.
func rName(_ *Config, t term) verdict {
	r, ok := t.(*Body)
	if !ok || r.Title.normal() {
		return noMatch
	}
	return premise(r.Title, func(e term) term { return &Body{r.at, e.(Expr), r.H} })
}

// Rule Rbody (thesis, §5.2.2.2):  H →_H H'  ⟹  v : H →_R v : H'.
func rbody(_ *Config, t term) verdict {
	r, ok := t.(*Body)
	if !ok || !r.Title.normal() || r.H.normal() {
		return noMatch
	}
	return premise(r.H, func(h term) term { return &Body{r.at, r.Title, h.(*Attr)} })
}
