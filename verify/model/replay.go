package model

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/verify/fs"
)

// A Lane is one run of a finding's evidence, step by step.
type Lane struct {
	Steps  []ReplayStep
	Failed string // why the run fails; "" if it does not
}

// A ReplayStep is one resource being applied.
type ReplayStep struct {
	Resource *catalog.Resource
	Changes  []StateChange // what it does to the machine; none if it finds everything as it wants it
	Failed   string        // why it fails
}

// A StateChange is something of the machine that is another after a step.
type StateChange struct{ What, Before, After string }

// Replay runs a finding's evidence once more and tells what every step does. A single order stands for two runs, one
// after the other. It is nil if the finding is seen without a run, or is about another catalog.
func (r *Report) Replay(f *Finding) (lanes []Lane) {
	if f.Evidence == nil || f.Evidence.Initial == nil {
		return nil
	}
	at := map[*catalog.Resource]int{}
	for i, x := range r.Model.Resources {
		if x != nil {
			at[x] = i
		}
	}
	orders := f.Evidence.Orders
	twice := len(orders) == 1
	if twice {
		orders = append(slices.Clip(orders), orders[0])
	}
	state := f.Evidence.Initial
	for _, order := range orders {
		if !twice {
			state = f.Evidence.Initial
		}
		var lane Lane
		for _, x := range order {
			i, there := at[x]
			if !there {
				return nil
			}
			step := ReplayStep{Resource: x}
			program := r.Model.Graph.Resources[i].Program
			next, _, ok := fs.Run(program, state)
			if !ok {
				step.Failed = fs.Reason(program, state)
				lane.Failed = step.Failed
				lane.Steps = append(lane.Steps, step)
				break
			}
			step.Changes = changes(state, next)
			state = next
			lane.Steps = append(lane.Steps, step)
		}
		if lanes = append(lanes, lane); twice && lane.Failed != "" {
			break
		}
	}
	return lanes
}

// changes are what differs between two states that a person would name: files and directories, and the variables of
// packages, services, users and the like.
func changes(before, after *fs.State) (out []StateChange) {
	var paths []fs.Path
	for p, n := range after.Nodes {
		if before.Nodes[p] != n {
			paths = append(paths, p)
		}
	}
	for p := range before.Nodes {
		if _, there := after.Nodes[p]; !there {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		x, y := thingText(before.Nodes[p]), thingText(after.Nodes[p])
		if x == y {
			y += ", changed"
		}
		out = append(out, StateChange{string(p), x, y})
	}
	var vars []string
	for v, x := range after.Vars {
		if was, there := before.Vars[v]; !there || was != x {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	for _, v := range vars {
		was := "as it was"
		if x, there := before.Vars[v]; there {
			was = x.String()
		}
		out = append(out, StateChange{strings.TrimSuffix(v, "()"), was, after.Vars[v].String()})
	}
	return out
}

func thingText(n fs.Node) string {
	if n.Kind == fs.None {
		return "nothing"
	}
	return n.Kind.String()
}
