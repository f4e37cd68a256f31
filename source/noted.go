package source

import "sync"

// A Noted is a view that notes what was looked at: paths, by the names that were asked for, whether something is there
// or not.
type Noted struct {
	Files
	asked *sync.Map // path → nothing
}

// NewNoted makes a view that shows what another one does.
func NewNoted(under Files) *Noted { return &Noted{under, &sync.Map{}} }

// Each visits what was looked at so far, in no order.
func (n *Noted) Each(visit func(p string)) {
	n.asked.Range(func(p, _ any) bool {
		visit(p.(string))
		return true
	})
}

// Read implements Files.
func (n *Noted) Read(p string) (Content, error) {
	n.asked.LoadOrStore(p, nil)
	return n.Files.Read(p)
}

// Stat implements Files.
func (n *Noted) Stat(p string) (Info, error) {
	n.asked.LoadOrStore(p, nil)
	return n.Files.Stat(p)
}

// Confirm implements Live.
func (n *Noted) Confirm() error {
	if live, is := n.Files.(Live); is {
		return live.Confirm()
	}
	return nil
}

// Fresh implements Live.
func (n *Noted) Fresh() Files {
	if live, is := n.Files.(Live); is {
		return &Noted{live.Fresh(), n.asked}
	}
	return n
}
