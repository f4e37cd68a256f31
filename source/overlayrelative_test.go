package source

import "testing"

// A path that is not absolute leads nowhere; looking for it comes to an end.
func TestOverlayRelative(t *testing.T) {
	o, err := NewOverlay(NewMemory([]string{"/srv"}, map[string]string{"/srv/a": "x"}, nil),
		map[string]string{"/srv/b": "y"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"nowhere/at/all", ".", "", "../x", "/"} {
		if _, err := o.Read(p); err == nil {
			t.Errorf("%q can be read", p)
		}
		o.Stat(p) // it ends
	}
}
