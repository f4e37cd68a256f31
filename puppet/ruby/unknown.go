package ruby

import "bunraku/puppet/value"

// A value that nobody could compute may be handed on, kept in an array or a hash, and given to a function. Whoever
// looks at it, though, to decide, compare, print or call a method, would have to guess; so the run ends there, with the
// reason why the value is unknown, and what it would have made is unknown for the same reason. The looks are few:
// truthy and isNil, which ask without knowing whom they ask, the call of a method on it or with it, equality, order,
// keys and texts.

// look ends the run if an object is unknown.
func look(o Object) {
	if f, ok := o.(*Foreign); ok {
		if v, ok := f.v.(*value.Opaque); ok {
			panic(&denied{Unknown, v.Why})
		}
	}
}

// keeps are the built-in methods that hand an argument on, or put it away, without looking at it.
var keeps = map[string]bool{
	"<<": true, "push": true, "append": true, "unshift": true, "prepend": true, "[]=": true, "store": true, "insert": true,
	"send":        true,
	"public_send": true, "__send__": true, "call": true, "()": true, "yield": true, "new": true,
	"instance_variable_set": true,
	"fetch":                 true, "instance_exec": true, "instance_eval": true, "tap": true, "then": true, "loop": true,
	"fill":           true,
	"method_missing": true,
}

// lookAtArgs ends the run if a built-in method would look at an argument that is unknown.
func lookAtArgs(name string, recv Object, args []Object) {
	for i, a := range args {
		if _, text := recv.(*String); text || !keeps[name] || i == 0 && (name == "fetch" || name == "[]=" && len(args) > 1) {
			look(a)
		}
	}
}
