package lsp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shapes is what messages to a client look like, written down after the protocol's text and apart from the server's
// types. `?` marks what may be left out. TestShapes compares them with the protocol's own description where that is at
// hand.
const shapes = `
Position                          line:uint character:uint
Range                             start:Position end:Position
Location                          uri:string range:Range
PublishDiagnosticsParams          uri:string version?:int diagnostics:Diagnostic[]
Diagnostic                        range:Range severity?:uint code?:int|string codeDescription?:CodeDescription source?:string message:string|MarkupContent tags?:uint[] relatedInformation?:DiagnosticRelatedInformation[] data?:any
CodeDescription                   href:string
DiagnosticRelatedInformation      location:Location message:string
MarkupContent                     kind:string value:string
LogMessageParams                  type:uint message:string
ShowMessageParams                 type:uint message:string
WorkDoneProgressCreateParams      token:any
ProgressParams                    token:any value:any
RegistrationParams                registrations:Registration[]
Registration                      id:string method:string registerOptions?:any
InitializeResult                  capabilities:any serverInfo?:ServerInfo
ServerInfo                        name:string version?:string
DocumentSymbol                    name:string detail?:string kind:uint tags?:uint[] deprecated?:bool range:Range selectionRange:Range children?:DocumentSymbol[]
SymbolInformation                 name:string kind:uint tags?:uint[] containerName?:string deprecated?:bool location:Location
Hover                             contents:any range?:Range
CompletionList                    isIncomplete:bool itemDefaults?:any applyKind?:any items:CompletionItem[]
CompletionItem                    label:string labelDetails?:any kind?:uint tags?:uint[] detail?:string documentation?:string|MarkupContent deprecated?:bool preselect?:bool sortText?:string filterText?:string insertText?:string insertTextFormat?:uint insertTextMode?:uint textEdit?:any textEditText?:string additionalTextEdits?:any commitCharacters?:any command?:any data?:any
SignatureHelp                     signatures:SignatureInformation[] activeSignature?:uint activeParameter?:uint|null
SignatureInformation              label:string documentation?:string|MarkupContent parameters?:ParameterInformation[] activeParameter?:uint|null
ParameterInformation              label:any documentation?:string|MarkupContent
CodeAction                        title:string kind?:string diagnostics?:Diagnostic[] isPreferred?:bool disabled?:any edit?:WorkspaceEdit command?:any data?:any tags?:uint[]
WorkspaceEdit                     changes?:any documentChanges?:any changeAnnotations?:any
DocumentHighlight                 range:Range kind?:uint
PrepareRenamePlaceholder          range:Range placeholder:string
InlayHint                         position:Position label:any kind?:uint textEdits?:any tooltip?:string|MarkupContent paddingLeft?:bool paddingRight?:bool data?:any
CodeLens                          range:Range command?:Command data?:any
Command                           title:string tooltip?:string command:string arguments?:any
SemanticTokens                    resultId?:string data:uint[]
SelectionRange                    range:Range parent?:SelectionRange
DocumentLink                      range:Range target?:string tooltip?:string data?:any
CallHierarchyItem                 name:string kind:uint tags?:uint[] detail?:string uri:string range:Range selectionRange:Range data?:any
CallHierarchyIncomingCall         from:CallHierarchyItem fromRanges:Range[]
CallHierarchyOutgoingCall         to:CallHierarchyItem fromRanges:Range[]
FoldingRange                      startLine:uint startCharacter?:uint endLine:uint endCharacter?:uint kind?:string collapsedText?:string
`

// messages are the shapes of notifications and requests of the server's, and of the results of a client's requests.
var messages = map[string]string{
	"textDocument/publishDiagnostics": "PublishDiagnosticsParams",
	"window/logMessage":               "LogMessageParams",
	"window/showMessage":              "ShowMessageParams",
	"client/registerCapability":       "RegistrationParams",
	"window/workDoneProgress/create":  "WorkDoneProgressCreateParams",
	"$/progress":                      "ProgressParams",
	"initialize result":               "InitializeResult",
	"shutdown result":                 "null",

	"textDocument/codeAction result": "CodeAction[]|null",
	"textDocument/hover result":      "Hover|null",
	"textDocument/rename result":     "WorkspaceEdit|null",

	"textDocument/inlayHint result":            "InlayHint[]|null",
	"textDocument/codeLens result":             "CodeLens[]|null",
	"textDocument/semanticTokens/full result":  "SemanticTokens|null",
	"textDocument/semanticTokens/range result": "SemanticTokens|null",
	"textDocument/selectionRange result":       "SelectionRange[]|null",
	"textDocument/documentLink result":         "DocumentLink[]|null",
	"textDocument/prepareCallHierarchy result": "CallHierarchyItem[]|null",
	"callHierarchy/incomingCalls result":       "CallHierarchyIncomingCall[]|null",
	"callHierarchy/outgoingCalls result":       "CallHierarchyOutgoingCall[]|null",

	"textDocument/prepareRename result":     "PrepareRenamePlaceholder|null",
	"textDocument/completion result":        "CompletionList|null",
	"textDocument/signatureHelp result":     "SignatureHelp|null",
	"textDocument/definition result":        "Location[]|null",
	"textDocument/references result":        "Location[]|null",
	"textDocument/documentHighlight result": "DocumentHighlight[]|null",
	"textDocument/documentSymbol result":    "DocumentSymbol[]|SymbolInformation[]|null",
	"workspace/symbol result":               "SymbolInformation[]|null",
	"workspace/executeCommand result":       "any",
	"textDocument/foldingRange result":      "FoldingRange[]|null",
}

// A prop is a property of a shape.
type prop struct {
	name, typ string
	optional  bool
}

var table = func() map[string][]prop {
	out := map[string][]prop{}
	for line := range strings.Lines(shapes) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		out[words[0]] = []prop{}
		for _, w := range words[1:] {
			name, typ, _ := strings.Cut(w, ":")
			name, optional := strings.CutSuffix(name, "?")
			out[words[0]] = append(out[words[0]], prop{name, typ, optional})
		}
	}
	return out
}()

// checkShape says in what a message is not what the protocol wants.
func checkShape(message string, v any) []string {
	typ, known := messages[message]
	if !known {
		return []string{"no such message is expected"}
	}
	return check(typ, v, "")
}

func check(typ string, v any, at string) (problems []string) {
	if list := strings.Split(typ, "|"); len(list) > 1 {
		for _, one := range list {
			p := check(one, v, at)
			if len(p) == 0 {
				return nil
			}
			problems = p
		}
		return problems
	}
	wrong := []string{fmt.Sprintf("%s is %T %.60v, not %s", at, v, v, typ)}
	if element, is := strings.CutSuffix(typ, "[]"); is {
		list, ok := v.([]any)
		if !ok {
			return wrong
		}
		for i, x := range list {
			problems = append(problems, check(element, x, fmt.Sprintf("%s[%d]", at, i))...)
		}
		return problems
	}
	number, isNumber := v.(float64)
	_, isString := v.(string)
	_, isBool := v.(bool)
	switch typ {
	case "any":
		return nil
	case "null":
		if v != nil {
			return wrong
		}
		return nil
	case "uint", "int":
		if !isNumber || number != math.Trunc(number) || typ == "uint" && number < 0 {
			return wrong
		}
		return nil
	case "string":
		if !isString {
			return wrong
		}
		return nil
	case "bool":
		if !isBool {
			return wrong
		}
		return nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return wrong
	}
	for _, p := range table[typ] {
		x, has := object[p.name]
		switch {
		case has:
			problems = append(problems, check(p.typ, x, at+"."+p.name)...)
		case !p.optional:
			problems = append(problems, at+"."+p.name+" is missing")
		}
	}
	for name := range object {
		if !slices.ContainsFunc(table[typ], func(p prop) bool { return p.name == name }) {
			problems = append(problems, fmt.Sprintf("%s.%s is no property of %s", at, name, typ))
		}
	}
	return problems
}

// TestShapes: what was written down here is what the protocol's own description says.
func TestShapes(t *testing.T) {
	dir := os.Getenv("BUNRAKU_FETCHED")
	text, err := os.ReadFile(filepath.Join(dir, "metaModel.json"))
	if dir == "" || err != nil {
		t.Skip("metaModel.json is not in $BUNRAKU_FETCHED")
	}
	var m metaModel
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for name, props := range table {
		want := m.properties(name)
		if len(want) == 0 {
			t.Errorf("the protocol has no %s", name)
		}
		for _, w := range want {
			i := slices.IndexFunc(props, func(p prop) bool { return p.name == w.name })
			if i < 0 {
				if !w.optional {
					t.Errorf("%s.%s is missing here", name, w.name)
				}
				continue
			}
			if p := props[i]; p.optional != w.optional || p.typ != "any" && p.typ != w.typ {
				t.Errorf("%s.%s is %+v here, %+v in the protocol", name, w.name, p, w)
			}
		}
		for _, p := range props {
			if !slices.ContainsFunc(want, func(w prop) bool { return w.name == p.name }) {
				t.Errorf("the protocol has no %s.%s", name, p.name)
			}
		}
	}
}

type metaType struct {
	Kind, Name string
	Items      []metaType
	Element    *metaType
}

type metaModel struct {
	Structures []struct {
		Name       string
		Properties []struct {
			Name     string
			Type     metaType
			Optional bool
		}
		Extends, Mixins []metaType
	}
	Enumerations []struct {
		Name string
		Type metaType
	}
	TypeAliases []struct {
		Name string
		Type metaType
	}
}

func (m *metaModel) properties(name string) (out []prop) {
	for _, s := range m.Structures {
		if s.Name != name {
			continue
		}
		for _, base := range slices.Concat(s.Extends, s.Mixins) {
			out = append(out, m.properties(base.Name)...)
		}
		for _, p := range s.Properties {
			out = append(out, prop{p.Name, m.text(p.Type), p.Optional})
		}
	}
	return out
}

// text is a type as shapes has it.
func (m *metaModel) text(t metaType) string {
	switch t.Kind {
	case "base":
		switch t.Name {
		case "URI", "DocumentUri":
			return "string"
		case "uinteger":
			return "uint"
		case "integer":
			return "int"
		case "boolean":
			return "bool"
		}
		return t.Name
	case "array":
		return m.text(*t.Element) + "[]"
	case "or":
		var list []string
		for _, x := range t.Items {
			list = append(list, m.text(x))
		}
		return strings.Join(list, "|")
	case "reference":
		if t.Name == "LSPAny" {
			return "any"
		}
		for _, a := range m.TypeAliases {
			if a.Name == t.Name {
				return m.text(a.Type)
			}
		}
		for _, e := range m.Enumerations {
			if e.Name == t.Name {
				return m.text(e.Type)
			}
		}
		return t.Name
	}
	return "any"
}
