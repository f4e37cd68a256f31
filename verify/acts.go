package verify

import (
	"context"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// Whether a resource does something depends on the machine. Over all machines of Init on which the resources before it
// succeed, it does so always, on some, or never.

// An Act says on which machines a resource does something.
type Act struct {
	Always bool // on every machine, in the agent's order
	Never  bool // on none
}

// Acts asks it of some resources. What is not decided is neither always nor never; so is all of it beside resources
// without a model, which may do anything.
func (a *Analysis) Acts(ctx context.Context, of []int) (map[int]Act, error) {
	asked := newBitset(a.n())
	for _, i := range of {
		asked.add(i)
	}
	out := map[int]Act{}
	run := a.compose(nil, nil, nil)
	clear := true // of resources that may do more than is known
	for _, i := range a.order {
		changed, acted := run.step(a.raw[i])
		clear = clear && a.Graph.Resources[i].Exact != Opaque
		if !asked.has(i) || !clear {
			continue
		}
		does := a.Space.Or(append(changed, acted)...)
		var act Act
		_, can, err := a.prove(ctx, claim{run.ok, []fs.Bool{does}})
		if err != nil {
			return nil, err
		}
		if act.Never = can == sat.Unsat; !act.Never {
			_, not, err := a.prove(ctx, claim{run.ok, []fs.Bool{a.Space.Not(does)}})
			if err != nil {
				return nil, err
			}
			act.Always = not == sat.Unsat
		}
		out[i] = act
	}
	return out, nil
}
