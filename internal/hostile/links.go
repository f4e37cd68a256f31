//go:build unix

package hostile

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// places are the files of a tree that somebody reads.
var places = []string{
	"manifests/site.pp", "manifests", "environment.conf", "hiera.yaml", "data/common.yaml", "data/nodes/n.yaml",
	"facts/n.yaml",
	"bunraku.assert", "modules/m/manifests/init.pp", "modules/m/functions/f.pp", "modules/m/types/t.pp",
	"modules/m/templates/t.erb",
	"modules/m/templates/t.epp", "modules/m/files/f", "modules/m/metadata.json", "modules/m/hiera.yaml",
	"modules/m/data/common.yaml",
	"modules/m/lib/puppet/functions/m/g.rb", "modules/m/lib/puppet/type/mt.rb", "modules/m",
}

// links put something else where a file is expected.
func links() []Tree {
	kinds := []struct {
		name string
		put  func(w *writer, at string)
	}{
		{"outside", func(w *writer, at string) { w.link(at, w.Outside+"/text") }},
		{"outside directory", func(w *writer, at string) { w.link(at, w.Outside) }},
		{"relative outside", func(w *writer, at string) {
			w.link(at, strings.Repeat("../", strings.Count(at, "/")+1)+"outside/text")
		}},
		{"root", func(w *writer, at string) { w.link(at, "/") }},
		{"zero device", func(w *writer, at string) { w.link(at, "/dev/zero") }},
		{"pipe", func(w *writer, at string) {
			w.make(at, func(at string) error { return syscall.Mkfifo(at, 0o644) })
		}},
		{"sparse", func(w *writer, at string) { w.sparse(at, 20<<30) }},
		{"loop", func(w *writer, at string) { w.link(at, at[strings.LastIndexByte(at, '/')+1:]) }},
		{"directory", func(w *writer, at string) {
			w.make(at, func(at string) error { return os.Mkdir(at, 0o755) })
			for i := range 50 {
				w.file(fmt.Sprintf("%s/%d.pp", at, i), "x")
			}
		}},
	}
	var out []Tree
	for _, kind := range kinds {
		for _, at := range places {
			out = append(out, Tree{Name: "links/" + kind.name + " at " + at, write: func(w *writer) { kind.put(w, at) }})
		}
	}
	out = append(out,
		tree("links/modulepath names the root", "environment.conf", "modulepath = modules:/\n"),
		Tree{Name: "links/modulepath and file()", write: func(w *writer) {
			w.file("environment.conf", "modulepath = modules:/\n")
			w.file("manifests/site.pp", "fail(file('OUTSIDE/text'))\n")
		}},
		Tree{Name: "links/module is the root", write: func(w *writer) {
			w.link("modules/rootfs", "/")
			w.file("manifests/site.pp", "fail(file('rootfs/..OUTSIDE/text', 'rootfsOUTSIDE/text'))\n")
		}},
		Tree{Name: "links/files of a module", write: func(w *writer) {
			w.link("modules/m/files/out", w.Outside)
			w.file("manifests/site.pp", "fail(file('m/out/text'))\n")
		}},
		Tree{Name: "links/template of a module", write: func(w *writer) {
			w.link("modules/m/templates/out", w.Outside)
			w.file("manifests/site.pp", "fail(template('m/out/text'))\n")
		}},
		tree("links/manifest outside", "environment.conf", "manifest = OUTSIDE/text\nmodulepath = modules\n"),
		tree("links/manifest is passwd", "environment.conf", "manifest = /etc/passwd\n"),
		tree("links/config_version", "environment.conf", "config_version = /bin/touch MARKER\nmodulepath = modules\n"),
		tree("links/file()", "manifests/site.pp", "fail(file('OUTSIDE/text'))\n"),
		tree("links/file() upward", "manifests/site.pp", "fail(file('m/../../../../outside/text'))\n"),
		tree("links/find_file()", "manifests/site.pp", "fail(String(find_file('/etc/passwd')))\n"),
		tree("links/template() absolute", "manifests/site.pp", "fail(template('OUTSIDE/text'))\n"),
		tree("links/inline_template", "manifests/site.pp", "fail(inline_template(\"<%= File.read('OUTSIDE/text') %>\"))\n"),
		tree("links/erb runs", "modules/m/templates/t.erb", "<%= `touch MARKER` %><%= system('touch MARKER') %>"),
		tree("links/erb opens", "modules/m/templates/t.erb",
			"<%= IO.read('OUTSIDE/text') %><%= open('|touch MARKER').read %>"),
		tree("links/erb evals", "modules/m/templates/t.erb",
			"<%= eval('`touch MARKER`') %><%= Kernel.send(:system, 'touch MARKER') %>"),
		tree("links/erb writes", "modules/m/templates/t.erb", "<% File.write('MARKER', 'x') %><% require 'OUTSIDE/text' %>"),
		tree("links/generate()", "manifests/site.pp", "notify { generate('/bin/touch', 'MARKER'): }\n"),
		tree("links/function in Ruby", "modules/m/lib/puppet/functions/m/g.rb",
			"`touch MARKER`\nPuppet::Functions.create_function(:'m::g') do\n  def g\n    `touch MARKER`\n  end\nend\n"),
		tree("links/type in Ruby", "modules/m/lib/puppet/type/mt.rb",
			"`touch MARKER`\nPuppet::Type.newtype(:mt) do\n  newparam(:name)\n  system('touch MARKER')\nend\n"),
		tree("links/datadir", "hiera.yaml",
			"version: 5\ndefaults: {datadir: OUTSIDE}\nhierarchy:\n  - {name: a, path: text}\n"),
		tree("links/datadir upward", "hiera.yaml",
			"version: 5\ndefaults: {datadir: ../outside}\nhierarchy:\n  - {name: a, path: text}\n"),
		tree("links/path", "hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, path: OUTSIDE/text}\n"),
		tree("links/glob", "hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, glob: 'OUTSIDE/*'}\n"),
		tree("links/glob of all", "hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, glob: '/**/*.yaml'}\n"),
		tree("links/mapped paths", "hiera.yaml",
			"version: 5\nhierarchy:\n  - {name: a, mapped_paths: [os, x, 'OUTSIDE/%{x}']}\n"),
		tree("links/eyaml key", "hiera.yaml",
			"version: 5\nhierarchy:\n  - {name: a, lookup_key: eyaml_lookup_key, path: common.yaml, options: "+
				"{pkcs7_public_key: /dev/zero, pkcs7_private_key: OUTSIDE/text}}\n"),
		tree("links/data function", "hiera.yaml",
			"version: 5\nhierarchy:\n  - {name: a, data_hash: json_data, path: OUTSIDE/text}\n"),
	)
	return out
}
