package functions

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A local is a type that only the signatures of one function know, in the order of definition: name and meaning. One
// without a meaning is an object type that no value has.
type local struct{ name, means string }

// A form is one signature of a function that has types of its own, or that words some mismatches itself.
type form struct {
	signature string
	names     []string
	block     string // the block's name, when it is not "block"
	run       func(*eval.Call) (value.Value, error)
	// mismatch marks a form that no right call has: it says what is wrong with the arguments.
	mismatch func(*eval.Call) string
}

// withLocals makes a function whose signatures use types of their own. Such types show in its error messages by name
// and meaning.
func withLocals(name, doc string, flow eval.Flow, locals []local, forms ...form) *eval.Function {
	f := &eval.Function{Name: name, Doc: doc, Flow: flow}
	for _, fm := range forms {
		if fm.mismatch == nil {
			f.Dispatches = append(f.Dispatches, eval.Dispatch{Signature: withBlocks(fm.signature, locals), Names: fm.names,
				Run: fm.run})
		}
	}
	compiled := sync.OnceValues(func() ([]types.Signature, error) { return signaturesOf(name, locals, forms) })
	f.Raw = func(c *eval.Call) (value.Value, error) {
		sigs, err := compiled()
		if err != nil {
			return nil, err
		}
		var block *types.Callable
		if c.Block != nil {
			block = c.Block.Type()
		}
		for i, s := range sigs {
			if !c.Judge().Accepts(s.Type, c.Args, block) {
				continue
			}
			if forms[i].mismatch != nil {
				return nil, fmt.Errorf("'%s' %s", name, forms[i].mismatch(c))
			}
			return forms[i].run(c)
		}
		var right []types.Signature
		for i, s := range sigs {
			if forms[i].mismatch == nil {
				right = append(right, s)
			}
		}
		return nil, errors.New(c.Judge().DescribeSignatures(name, right, c.Args, block))
	}
	return f
}

// withBlocks is a signature with the types of blocks written out: who counts the arguments sees that they are none.
func withBlocks(signature string, locals []local) string {
	for _, l := range locals {
		if strings.HasPrefix(l.means, "Callable") {
			signature = strings.ReplaceAll(signature, l.name, l.means)
		}
	}
	return signature
}

func signaturesOf(name string, locals []local, forms []form) ([]types.Signature, error) {
	known := map[string]types.T{}
	load := func(n string) (types.T, error) { return known[n], nil }
	for _, l := range locals {
		if l.means == "" {
			known[l.name] = &types.Object{Of: l.name}
			continue
		}
		a := &types.Alias{Of: l.name}
		known[l.name] = a
		if err := a.Resolve(func() (types.T, error) { return types.Parse(l.means, load) }); err != nil {
			return nil, fmt.Errorf("type %s of %s: %w", l.name, name, err)
		}
	}
	out := make([]types.Signature, len(forms))
	for i, fm := range forms {
		t, err := types.Parse(fm.signature, load)
		if err != nil {
			return nil, fmt.Errorf("signature of %s: %w", name, err)
		}
		out[i] = types.Signature{Type: t.(*types.Callable), Names: fm.names, BlockName: fm.block}
	}
	return out, nil
}
