package functions

import (
	"errors"
	"iter"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// treeFunction is tree_each, which walks nested arrays, hashes and objects.
func treeFunction() *eval.Function {
	const tree = "Variant[Iterator, Array, Hash, Object]"
	names := []string{"tree", "options"}
	walk := func(two bool) func(*eval.Call) (value.Value, error) {
		return func(c *eval.Call) (value.Value, error) {
			seq, err := treeOf(c)
			if err != nil {
				return nil, err
			}
			whole := everything(c)
			c.Ref = c.ArgRef(0)
			return c.Args[0], c.Iterating(func() error {
				for n := range seq {
					args, rs := []value.Value{n.value}, refs(c, c.Trace().With(n.ref, whole))
					if two {
						args, rs = []value.Value{n.path(), n.value}, refs(c, whole, c.Trace().With(n.ref, whole))
					}
					if _, err := c.Block.Call(args, rs); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	return withLocals("tree_each", "Walks nested data: an iterator of [path, value], or a block is called for every node.",
		eval.Observer,
		[]local{{"OptionsType",
			"Struct[{container_type => Optional[Type], include_root => Optional[Boolean], include_containers => " +
				"Optional[Boolean], " +
				"include_values => Optional[Boolean], order => Optional[Enum[depth_first, breadth_first]], include_refs => " +
				"Optional[Boolean]}]"}},
		form{signature: "Callable[" + tree + ", OptionsType, 1, 2, Callable[2, 2]]", names: names, run: walk(true)},
		form{signature: "Callable[" + tree + ", OptionsType, 1, 2, Callable[1, 1]]", names: names, run: walk(false)},
		form{signature: "Callable[" + tree + ", OptionsType, 1, 2]", names: names,
			run: func(c *eval.Call) (value.Value, error) {
				seq, err := treeOf(c)
				if err != nil {
					return nil, err
				}
				c.Ref = everything(c)
				return &value.Iterator{Elem: types.AnyT, General: types.AnyT, Seq: func(yield func(value.Value) bool) {
					for n := range seq {
						if !yield(value.NewArray(n.path(), n.value)) {
							return
						}
					}
				}}, nil
			}},
	)
}

// A node is a value in a tree, with the keys that lead to it.
type node struct {
	keys  []value.Value
	value value.Value
	ref   provenance.Ref
}

func (n node) path() value.Value { return value.NewArray(n.keys...) }

// forest says which nodes of a tree are shown.
type forest struct {
	judge                    *types.Judge
	container                types.T
	root, containers, values bool
	references               bool
}

func treeOf(c *eval.Call) (iter.Seq[node], error) {
	options, is := c.Arg(1).(*value.Hash)
	if !is {
		options = value.EmptyHash
	}
	on := func(name string) bool { return options.At(name) != value.Bool(false) }
	containers := types.NewVariant(types.ArrayT, types.HashT, types.ObjectT)
	f := forest{judge: c.Judge(), container: containers, containers: on("include_containers"),
		values: on("include_values"), references: options.At("include_refs") == value.Bool(true)}
	f.root = f.containers && on("include_root")
	if t, is := options.At("container_type").(value.Type); is {
		if !c.Judge().Assignable(containers, t) {
			return nil, errors.New("Only Array, Hash, and Object types can be used as container types. Got " + t.String())
		}
		f.container = t
	}
	if !f.containers && !f.values {
		return nil, errors.New("Options 'include_containers' and 'include_values' cannot both be false")
	}
	top := node{value: c.Args[0], ref: c.ArgRef(0)}
	if _, container := f.children(top); !container {
		return nil, noMethod("next", value.Undef{})
	}
	if options.At("order") == value.String("breadth_first") {
		return f.breadthFirst(top), nil
	}
	return f.depthFirst(top), nil
}

// children are the nodes right below; ok is false when the value is no container.
func (f forest) children(n node) (list []node, ok bool) {
	if !f.judge.IsInstance(f.container, n.value) {
		return nil, false
	}
	below := func(k, v value.Value, r provenance.Ref) {
		keys := append(append(make([]value.Value, 0, len(n.keys)+1), n.keys...), k)
		list = append(list, node{keys, v, r})
	}
	switch v := n.value.(type) {
	case *value.Array:
		for i, e := range v.Elems {
			below(value.Int(i), e, v.Ref(i))
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			below(e.Key, e.Value, e.Ref)
		}
	case *value.Deferred:
		below(value.String("name"), value.String(v.Name), n.ref)
		if v.Args != nil {
			below(value.String("arguments"), v.Args, n.ref)
		} else {
			below(value.String("arguments"), value.Undef{}, n.ref)
		}
	case *value.Object:
		o, is := v.Type.(*types.Object)
		if !is {
			return nil, false
		}
		for _, a := range o.Attributes() {
			if a.Kind == "reference" && !f.references {
				continue
			}
			below(value.String(a.Name), v.Attrs.At(a.Name), n.ref)
		}
	default:
		return nil, false
	}
	return list, true
}

func (f forest) depthFirst(top node) iter.Seq[node] {
	return func(yield func(node) bool) {
		if f.root && !yield(top) {
			return
		}
		var below func(node) bool
		below = func(n node) bool {
			list, _ := f.children(n)
			for _, child := range list {
				_, container := f.children(child)
				if (container && f.containers || !container && f.values) && !yield(child) {
					return false
				}
				if container && !below(child) {
					return false
				}
			}
			return true
		}
		below(top)
	}
}

// breadthFirst shows values even when they are not asked for: so does Puppet.
func (f forest) breadthFirst(top node) iter.Seq[node] {
	return func(yield func(node) bool) {
		if f.root && !yield(top) {
			return
		}
		for queue := []node{top}; len(queue) > 0; queue = queue[1:] {
			list, _ := f.children(queue[0])
			for _, child := range list {
				_, container := f.children(child)
				if container {
					queue = append(queue, child)
				}
				if (!container || f.containers) && !yield(child) {
					return
				}
			}
		}
	}
}
