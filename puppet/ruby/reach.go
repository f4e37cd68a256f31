package ruby

import (
	"slices"
	"strings"

	"bunraku/puppet/ruby/syntax"
)

// What the code of one file may share with that of others.
//
// Between two calls only what constants, globals, and variables of classes and functions hold is left. Code gets at it
// by the name of a constant, unless it looks names up, asks globals, or calls other functions. So two files that have
// no name in common, be it that they define it or mention it, cannot see what the other leaves behind, however many
// objects are passed on between: each step of the way is code that names what it takes.

// A Reach is what a file names.
type Reach struct {
	Mentions []Mention // constants, but for what only leads to others
	Defines  []string  // constants, classes and modules; not modules that only hold others
	Calls    []string  // functions of Puppet's
	// Asks says by what it may run functions that nobody can tell; "" if it does not.
	Asks string
	// Anything says by what it may get at more than it names; "" if it cannot.
	Anything string
}

// A Mention is a constant at the end of a chain of them, with the first of the chain.
type Mention struct{ Root, Name string }

// ReachOf reads what a file names.
func ReachOf(p *Program) *Reach {
	s := &survey{reach: &Reach{}}
	s.walk(p.Body)
	return s.reach
}

// A survey is on its way through a file.
type survey struct {
	reach   *Reach
	classes int  // classes and modules around that are the file's own
	made    bool // in a function of the 4.x API, which is an object of its own
	late    bool // in what runs after the file was loaded
}

// lookingUp are the methods by which code gets at what it does not name, or changes what is not its own.
const lookingUp = "eval instance_eval class_eval module_eval instance_exec class_exec module_exec const_get const_set " +
	"const_missing remove_const constants class_variable_get class_variable_set class_variables instance_variable_set " +
	"define_method define_singleton_method alias_method each_object binding autoload refine using remove_method " +
	"undef_method singleton_class set_trace_func global_variables"

// asking are the methods by which code runs functions, or has data looked up, which functions may do.
const asking = "call_function call_lookup search_and_merge evaluate"

// sending are those that are given the name of a method.
const sending = "send public_send __send__ method instance_method public_method"

func (s *survey) anything(what string) {
	if s.reach.Anything == "" {
		s.reach.Anything = what
	}
}

func (s *survey) asks(what string) {
	if s.reach.Asks == "" {
		s.reach.Asks = what
	}
}

func (s *survey) walk(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ClassDef:
			s.class(n)
			return false
		case *syntax.SClass:
			if _, own := n.Value.(*syntax.SelfLit); !own || s.classes == 0 {
				s.anything("class <<")
			}
		case *syntax.Def:
			was := s.late
			s.late = true
			if n.Singleton != nil {
				if _, own := n.Singleton.(*syntax.SelfLit); !own {
					s.anything("def of another object's method")
				}
			}
			if n.Params != nil {
				for _, p := range slices.Concat(n.Params.Opt, n.Params.Key) {
					s.walk(p.Default)
				}
			}
			s.walk(n.Body)
			s.late = was
			return false
		case *syntax.IVar:
			if s.classes == 0 && !s.made { // of the scope, which all functions of the 3.x API see
				s.reach.Defines = append(s.reach.Defines, n.Name)
			}
		case *syntax.Const:
			s.constant(n)
			return false
		case *syntax.Assign:
			if c, is := n.Target.(*syntax.Const); is {
				s.reach.Defines = append(s.reach.Defines, c.Name)
			}
		case *syntax.OpAssign:
			if c, is := n.Target.(*syntax.Const); is {
				s.reach.Defines = append(s.reach.Defines, c.Name)
			}
		case *syntax.GVar:
			if !strings.Contains(" $~ $! $@ ", " "+n.Name+" ") && (len(n.Name) < 2 || n.Name[1] < '0' || n.Name[1] > '9') {
				s.anything(n.Name)
			}
		case *syntax.CVar:
			if s.classes == 0 {
				s.anything(n.Name)
			}
		case *syntax.Alias:
			if s.classes == 0 {
				s.anything("alias")
			}
		case *syntax.SymLit:
			s.called(n.Name)
		case *syntax.Call:
			return s.call(n)
		}
		return true
	})
}

// called notes a method that code calls.
func (s *survey) called(name string) {
	switch {
	case syntax.HasWord(lookingUp, name):
		s.anything(name)
	case syntax.HasWord(asking, name) || strings.HasPrefix(name, "function_"):
		s.asks(name)
	}
}

func (s *survey) call(n *syntax.Call) (below bool) {
	if n.Name != "call_function" {
		s.called(n.Name)
	}
	switch {
	case syntax.HasWord(sending, n.Name) && len(n.Args) > 0:
		switch a := n.Args[0].(type) {
		case *syntax.SymLit:
			s.called(a.Name)
		case *syntax.StrLit:
			s.called(a.Value)
		default:
			s.anything(n.Name)
		}
	case n.Name == "call_function":
		if a, is := firstArg(n).(*syntax.StrLit); is && n.Recv == nil {
			s.reach.Calls = append(s.reach.Calls, a.Value)
		} else {
			s.asks(n.Name)
		}
	case n.Name == "lookup":
		if c, is := n.Recv.(*syntax.Const); !is || c.Name != "Puppet" { // Puppet.lookup asks for no data
			s.asks(n.Name)
		}
	case syntax.HasWord("require require_relative load", n.Name) && n.Recv == nil && s.late:
		if a, is := firstArg(n).(*syntax.StrLit); !is || !standard(a.Value) {
			s.anything(n.Name)
		}
	case syntax.HasWord("extend include prepend", n.Name) && s.late:
		s.anything(n.Name)
	}
	if n.Block == nil || s.late || s.made {
		return true
	}
	s.walk(n.Recv)
	for _, a := range n.Args {
		s.walk(a)
	}
	if n.Name == "create_function" {
		s.made = true
		s.walk(n.Block)
		s.made = false
		return false
	}
	s.late = true // any other block may run later
	s.walk(n.Block)
	s.late = false
	return false
}

func firstArg(n *syntax.Call) syntax.Node {
	if len(n.Args) == 0 {
		return nil
	}
	return n.Args[0]
}

func (s *survey) constant(c *syntax.Const) {
	m := Mention{Root: c.Name, Name: c.Name}
	for at := c; at.Scope != nil; {
		up, is := at.Scope.(*syntax.Const)
		if !is {
			s.anything("a constant of something")
			s.walk(at.Scope)
			break
		}
		at, m.Root = up, up.Name
	}
	s.reach.Mentions = append(s.reach.Mentions, m)
}

// class looks at a class or module. One that holds nothing but others is no more than a part of their names.
func (s *survey) class(n *syntax.ClassDef) {
	root := n.Path
	for root.Scope != nil {
		up, is := root.Scope.(*syntax.Const)
		if !is {
			s.anything("a class of something")
			break
		}
		root = up
	}
	s.walk(n.Super)
	bare := true
	for _, in := range n.Body.Stmts {
		if _, is := in.(*syntax.ClassDef); !is {
			bare = false
		}
	}
	if !bare {
		s.reach.Defines = append(s.reach.Defines, n.Path.Name)
		if s.classes == 0 && isFunctions(n.Path) { // every function of the 3.x API is made there
			s.reach.Defines = s.reach.Defines[:len(s.reach.Defines)-1]
			for _, in := range n.Body.Stmts {
				if _, is := in.(*syntax.Def); is {
					s.anything("a method of all functions")
				}
			}
			s.walk(n.Body)
			return
		}
	}
	s.classes++
	s.walk(n.Body)
	s.classes--
}

// isFunctions reports whether a module is Puppet::Parser::Functions, however far it is named at once.
func isFunctions(c *syntax.Const) bool {
	up, is := c.Scope.(*syntax.Const)
	return c.Name == "Functions" && is && up.Name == "Parser"
}

// standard reports whether a library belongs to Ruby or Puppet.
func standard(feature string) bool {
	return syntax.HasWord(standardLibraries, feature) || feature == "puppet" || strings.HasPrefix(feature, "puppet/")
}

// Knows reports whether a constant of the top is Ruby's or Puppet's own.
func (in *Interp) Knows(name string) bool {
	_, built := in.rt.consts[name]
	return built || in.rt.knownConst(name)
}
