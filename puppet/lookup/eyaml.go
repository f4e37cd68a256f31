package lookup

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"regexp"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"

	"github.com/smallstep/pkcs7"
)

// This file is the backend eyaml_lookup_key: YAML whose texts hold secrets as ENC[PKCS7,…]. hiera-eyaml is a Ruby gem
// that Puppet's packages do not have, so its behaviour is taken from its documentation and the caller's side in Puppet.

var (
	encrypted   = regexp.MustCompile(`ENC\[.*?\]`)
	secretToken = regexp.MustCompile(`ENC\[(?:(\w+),)?([a-zA-Z0-9+/ =\n]+?)\]`)
)

// secrets keeps keys and what was decrypted with them, for all compiles.
type secrets struct {
	mu     sync.Mutex
	keys   map[string]*keyPair
	plain  map[string]string // by key pair and ciphertext
	reader func(path string) ([]byte, error)
	tell   func(plain string) // may be nil
}

type keyPair struct {
	certificate *x509.Certificate
	private     crypto.PrivateKey
	err         error // no such key, or none that can be read
}

// NoKey is what is said of a secret that stays closed because there is no key for it.
const NoKey = "there is no key to decrypt it with"

var errNoKey = errors.New(NoKey)

func (inv *invocation) askEyaml(ly *layer, lv *level, loc *location, root string) (item, bool, error) {
	if loc.kind != pathLocation {
		return item{}, false,
			fail("H0416",
				"'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml "+
					"when using this lookup_key function")
	}
	ctx := inv.contextAt(ly, loc)
	if it := ctx.keys[root]; it != nil {
		inv.explain.found(root, it.v)
		return *it, true, nil
	}
	d, entry, err := inv.entry(ly, lv, loc, root, yamlFormat)
	if entry == nil {
		return item{}, false, err
	}
	n := entry.Node
	place := n.Place(d.file.Source)
	switch {
	case n.Has&datafile.Symbols != 0:
		return item{}, false, inv.wrongType(lv, loc, root, ", returned from ", symbolType(n), place)
	case n.Has&datafile.OddKeys != 0:
		return item{}, false, inv.wrongType(lv, loc, root, ", returned from ", types.Infer(n.Value).String(), place)
	}
	it, err := inv.decryptAll(inv.leaf(d, entry, root), lv, root, loc.path)
	if err != nil {
		return item{}, false, inv.placed(err, place)
	}
	ctx.keys[root] = &it
	inv.explain.found(root, it.v)
	inv.explain.at(place)
	return it, true, nil
}

// decryptAll decrypts and interpolates every text of a value.
func (inv *invocation) decryptAll(it item, lv *level, key, path string) (item, error) {
	switch v := it.v.(type) {
	case value.String:
		return inv.decryptText(string(v), it.ref, lv, key, path)
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			sub, err := inv.decryptAll(item{e, v.Ref(i)}, lv, key, path)
			if err != nil {
				return item{}, err
			}
			b.AddRef(sub.v, sub.ref)
		}
		return item{b.Array(), it.ref}, nil
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			name, err := inv.interpolate(item{e.Key, e.KeyRef}, true)
			if err != nil {
				return item{}, err
			}
			sub, err := inv.decryptAll(item{e.Value, e.Ref}, lv, key, path)
			if err != nil {
				return item{}, err
			}
			b.SetEntry(value.Entry{Key: name.v, KeyRef: name.ref, Value: sub.v, Ref: sub.ref})
		}
		return item{b.Hash(), it.ref}, nil
	}
	return it, nil
}

func (inv *invocation) decryptText(text string, ref provenance.Ref, lv *level, key, path string) (item, error) {
	if encrypted.MatchString(text) {
		inv.s.asksSecrets(lv.options)
		plain, err := inv.s.l.secrets.decrypt(text, lv.options, inv.s.opened)
		if errors.Is(err, errNoKey) {
			inv.s.warning("H0341", "Secrets in "+inv.s.shown(path)+" stay unknown: "+err.Error(), source.Place{})
			why := "secret " + key + " in " + inv.s.shown(path) + ": " + err.Error()
			return item{&value.Opaque{Why: why, Text: true, Settled: true}, ref}, nil
		}
		if err != nil {
			return item{}, fail("H0212", "hiera-eyaml backend error decrypting "+text+" when looking up "+key+" in "+path+
				". Error was "+err.Error())
		}
		text = plain
		ref = inv.s.trace.Op(provenance.Decrypt, ref)
	}
	return inv.interpolate(item{value.String(text), ref}, true)
}

// decrypt replaces each ENC[…] of a text, and drops one line end, as Puppet does. opened, if not nil, hears of each.
func (s *secrets) decrypt(text string, options *value.Hash, opened func(string)) (string, error) {
	if options == nil {
		options = value.EmptyHash
	}
	var failure error
	out := secretToken.ReplaceAllStringFunc(text, func(token string) string {
		m := secretToken.FindStringSubmatch(token)
		if m[1] != "" && m[1] != "PKCS7" {
			failure = errors.Join(errNoKey, errors.New("encrypted with "+m[1]))
			return ""
		}
		plain, err := s.open(m[2], textOf(options, "pkcs7_public_key", ""), textOf(options, "pkcs7_private_key", ""))
		if err != nil {
			failure = err
		} else if opened != nil {
			opened(plain)
		}
		return plain
	})
	if failure != nil {
		return "", failure
	}
	if rest, cut := strings.CutSuffix(out, "\r\n"); cut {
		return rest, nil
	}
	return strings.TrimSuffix(strings.TrimSuffix(out, "\n"), "\r"), nil
}

func (s *secrets) open(secret, public, private string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := public + "\x00" + private
	if plain, known := s.plain[id+"\x00"+secret]; known {
		return plain, nil
	}
	pair := s.keys[id]
	if pair == nil {
		pair = s.load(public, private)
		s.keys[id] = pair
	}
	if pair.err != nil {
		return "", pair.err
	}
	raw, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' {
			return -1
		}
		return r
	}, secret))
	if err != nil {
		return "", err
	}
	message, err := pkcs7.Parse(raw)
	if err != nil {
		return "", err
	}
	plain, err := message.Decrypt(pair.certificate, pair.private)
	if err != nil {
		return "", err
	}
	s.plain[id+"\x00"+secret] = string(plain)
	if s.tell != nil {
		s.tell(string(plain))
	}
	return string(plain), nil
}

// load reads a pair of keys. A path that is not there is no trouble: the secrets stay closed.
func (s *secrets) load(public, private string) *keyPair {
	if public == "" || private == "" {
		return &keyPair{err: errNoKey}
	}
	pub, err := s.reader(public)
	if err != nil {
		return &keyPair{err: errNoKey}
	}
	priv, err := s.reader(private)
	if err != nil {
		return &keyPair{err: errNoKey}
	}
	pair := &keyPair{}
	block, _ := pem.Decode(pub)
	if block == nil {
		return &keyPair{err: errors.New(public + " is no PEM file")}
	}
	if pair.certificate, err = x509.ParseCertificate(block.Bytes); err != nil {
		return &keyPair{err: err}
	}
	if block, _ = pem.Decode(priv); block == nil {
		return &keyPair{err: errors.New(private + " is no PEM file")}
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		pair.private = key
		return pair
	}
	if pair.private, err = x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		return &keyPair{err: err}
	}
	return pair
}

func newSecrets(read func(string) ([]byte, error), tell func(string)) *secrets {
	return &secrets{keys: map[string]*keyPair{}, plain: map[string]string{}, reader: read, tell: tell}
}
