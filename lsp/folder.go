package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/lsp/protocol"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A folder is one of the workspace: a control repo, an environment or a module. What is made of the content of its
// files is kept by its workspace.
type folder struct {
	server *Server
	dir    string // absolute
	ws     *compiler.Workspace
	opt    compiler.Options
	own    func(file string) bool
	// functions are those that are built in, by name.
	functions map[string]*eval.Function

	mu      sync.Mutex
	disk    *source.Dir
	entries map[string]*entry // what was read of files, by path
	opened  map[string]opened // open files as they were last read, by path
	// datadirs are the directories of data that files called hiera.yaml name, each with a slash at its end.
	datadirs []string
	named    map[string]bool   // files that some hiera.yaml can name
	links    map[string]string // where files lead that are links
	// classKeys are the keys of Hiera that hold names of classes, sorted.
	classKeys []string
	modules   []string           // directories of modules outside of it
	alone     string             // the name of the module that it is, "" if it is none
	base      *index             // all files, as they were last looked at
	snap      *compiler.Snapshot // that was last compiled from
	results   []*result          // of the chosen nodes
	facts     []*value.Hash      // of the chosen nodes, also of those that have never compiled
	counted   map[string]*count  // what is in the nodes that were compiled, by the node's title
	titles    map[string]bool    // of all nodes; true for those that are invented
	sought    map[string]bool    // classes that nodes were looked for which have them
	missed    string             // what the settings name and is no node, as it was last told
	// remedies are edits for the problems that were last found, by the path of the file that has the problem.
	remedies map[string][]remedy
	judges   []*judge.Judge     // the last is the one that there is now: who asks may still use those before
	judgedBy string             // the files that say what it judges by
	trouble  source.Diagnostics // with them
	cancel   context.CancelFunc // ends what is under way
	closed   bool
	work     sync.Mutex // held by who works
	pending  sync.WaitGroup
	aside    map[string]bool // problems that stand nowhere, as they were last logged; of who works
	// unseen are the URIs of long documents whose syntax was not looked at; the server is locked by who asks.
	unseen map[string]bool
	hush   *hush // of the file that was last spoken of
}

// addFolder adds a folder, unless it is there; nil for what is no directory of this machine.
func (s *Server) addFolder(dir string) *folder {
	if dir == "" || slices.ContainsFunc(s.folders, func(f *folder) bool { return f.dir == dir }) {
		return nil
	}
	f := &folder{server: s, dir: dir, opt: s.opt.Compile, own: judge.OwnCode(dir), entries: map[string]*entry{},
		unseen: map[string]bool{}}
	f.opt.StandIn, f.opt.Trace = true, true
	f.ws = compiler.NewWorkspace(dir, f.opt)
	if !s.opt.LanguageGiven && fleet.OnlyBefore8(f.ws.Disk(), dir) != "" {
		f.opt.Language = source.Puppet7
		f.ws = compiler.NewWorkspace(dir, f.opt)
	}
	if err := f.rejudge(f.ws.Disk()); err != nil {
		s.log(protocol.MessageTypeError, dir+" is not looked at: "+err.Error())
		return nil
	}
	f.functions = functions.Table(f.opt.Language)
	for name, x := range stdlib.Table() {
		if f.functions[name] == nil {
			f.functions[name] = x
		}
	}
	s.folders = append(s.folders, f)
	return f
}

// effects is what a function does, by plain name.
func (f *folder) effects(function string) outline.Effect {
	if x := f.functions[function]; x != nil {
		return x.Does
	}
	return 0
}

// removeFolder takes a folder away, with what was said of its files.
func (s *Server) removeFolder(dir string) {
	i := slices.IndexFunc(s.folders, func(f *folder) bool { return f.dir == dir })
	if i < 0 {
		return
	}
	f := s.folders[i]
	f.close()
	s.folders = slices.Delete(s.folders, i, i+1)
	s.show(f, nil)
}

// folderOf is the innermost folder that a file is in, or nil.
func (s *Server) folderOf(path string) (in *folder) {
	for _, f := range s.folders {
		if f.holds(path) && (in == nil || len(f.dir) > len(in.dir)) {
			in = f
		}
	}
	return in
}

// holds reports whether a file lies in the folder. Folders may lie in one another: then each looks at the file.
func (f *folder) holds(path string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(f.dir, "/")+"/")
}

// reads reports whether a compile may come to a file: it lies in the folder, or where modules and data are otherwise.
func (f *folder) reads(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.holds(path) || f.disk != nil && slices.ContainsFunc(f.disk.Roots(), func(root string) bool {
		return strings.HasPrefix(path, root+"/")
	})
}

// view is the folder's files as they are now, with the open ones laid over them, and those documents. One that is open
// by a way that leads out of what may be read is none of them.
func (f *folder) view() (source.Files, map[string]*document, error) {
	f.mu.Lock()
	if f.disk == nil {
		f.disk = f.ws.Disk()
	} else if next, is := f.disk.Fresh().(*source.Dir); is {
		f.disk = next // what has not changed is not read again
	}
	disk := f.disk
	f.mu.Unlock()
	f.server.mu.Lock()
	docs := slices.Collect(maps.Values(f.server.docs))
	f.server.mu.Unlock()
	open, texts := map[string]*document{}, map[string]string{}
	for _, d := range docs {
		if d.path == "" {
			continue
		}
		if _, err := source.RealOrNew(disk, d.path); err == nil {
			open[d.path], texts[d.path] = d, d.text
		}
	}
	view, err := source.NewOverlay(disk, texts)
	return view, open, err
}

// kick lets the folder be diagnosed when nobody has typed for a while, and ends what is under way.
func (f *folder) kick() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel != nil {
		f.cancel()
	}
	if f.closed {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	f.pending.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(f.server.opt.Idle):
		}
		f.work.Lock()
		defer f.work.Unlock()
		if ctx.Err() == nil {
			f.see()
			f.diagnose(ctx)
		}
	})
}

// rejudge makes a judge, if there is none by what the files say that it judges by.
func (f *folder) rejudge(view source.Files) error {
	by := "judged"
	for _, name := range f.server.opt.JudgedBy {
		c, err := view.Read(f.dir + "/" + name)
		by += fmt.Sprintf("\x00%v %s", err, c.Text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.judgedBy == by {
		return nil
	}
	j, trouble, err := f.server.opt.Judge(f.dir, view)
	if err != nil {
		return err
	}
	f.judges, f.judgedBy, f.trouble = append(f.judges, j), by, trouble
	return nil
}

// judge is the judge that there is now.
func (f *folder) judge() *judge.Judge {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.judges[len(f.judges)-1]
}

// see looks at the syntax of long documents.
func (f *folder) see() {
	s := f.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri := range f.unseen {
		if d := s.docs[uri]; d != nil {
			s.syntax(d)
		}
	}
	clear(f.unseen)
}

// close ends all work on the folder.
func (f *folder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	if f.cancel != nil {
		f.cancel()
	}
	go func() { // once nobody needs it
		f.work.Lock()
		defer f.work.Unlock()
		for _, j := range f.judges {
			j.Close()
		}
	}()
}
