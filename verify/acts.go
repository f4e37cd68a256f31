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
		var sure []fs.Bool // changes of which it is certain whether they are any
		for _, o := range a.raw[i].Out {
			if a.Space.Observed(o.Cell) {
				sure = append(sure, a.surelyDiffer(run.value(o.Cell), run.next(o)))
			}
		}
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
			does = a.Space.Or(append(sure, acted)...)
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

// surelyDiffer says that two values differ, whatever the contents are that nobody asks for. A content that nobody
// compares with a constant stands for every content, that constant too, and so does another one: that two ends differ
// is right all the same, since they do on other machines; that they always differ is not.
func (a *Analysis) surelyDiffer(x, y fs.Val) fs.Bool {
	sp := a.Space
	seen := map[[2]fs.Val]fs.Bool{}
	var differ func(x, y fs.Val) fs.Bool
	differ = func(x, y fs.Val) fs.Bool {
		if f, ok := seen[[2]fs.Val{x, y}]; ok {
			return f
		}
		v, w := sp.ViewVal(x), sp.ViewVal(y)
		var f fs.Bool
		switch {
		case x == y:
			f = fs.Bottom
		case v.Op == fs.ValIte:
			f = sp.Or(sp.And(v.Cond, differ(v.A, y)), sp.And(sp.Not(v.Cond), differ(v.B, y)))
		case w.Op == fs.ValIte:
			f = sp.Or(sp.And(w.Cond, differ(x, w.A)), sp.And(sp.Not(w.Cond), differ(x, w.B)))
		default:
			f = sp.Not(sp.Or(sp.Eq(x, y), a.hides(v, w), a.hides(w, v)))
		}
		seen[[2]fs.Val{x, y}] = f
		return f
	}
	return differ(x, y)
}

// hides says that a cell may have had at first what another value is, though it is not compared with it.
func (a *Analysis) hides(cell, other fs.ValView) fs.Bool {
	if a.opt.fault == faultCoincide {
		return fs.Bottom
	}
	if cell.Op == fs.ValConst && a.Space.IsInitial(cell.ID) && other.Op != fs.ValApp {
		return fs.Top // all that is known of the cell
	}
	if cell.Op != fs.ValCell || other.Op != fs.ValConst && other.Op != fs.ValCell {
		return fs.Bottom
	}
	if other.Op == fs.ValConst {
		if _, told := a.Space.MaskOf(cell.Cell, other.ID); told {
			return fs.Bottom
		}
	}
	return a.Space.Elsewhere(cell.Cell)
}
