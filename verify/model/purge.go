package model

import (
	"slices"
	"strconv"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// resources { 'cron': purge => true } is a wish about everything that the catalog does not name. Agents make a resource
// with ensure => absent of each cron job that they find and that the catalog lacks, with the metaparameters of the
// resources resource, so that it notifies whom that notifies. Of the machine that has the old catalog it is known what
// they find: what the old catalog has brought there. So the new catalog is run with just these resources.

// unlisted are types of which agents find nothing on a machine: there is nothing to purge. A service knows no absent.
var unlisted = strings.Fields(`Anchor Archive Augeas Concat_file Concat_fragment Exec File File_line Filebucket
	Ini_setting Ini_subsetting Notify Resources Schedule Service Ssh_authorized_key Stage Tidy Vcsrepo`)

// neverPurged are users that the type resources never takes.
var neverPurged = []string{"root", "nobody", "bin", "noaccess", "daemon", "sys"}

// purged adds to the new catalog what agents make of its resources resources: by is which of them each is from, open
// are points that were taken for true.
func purged(old, new *catalog.Graph, types resource.Lookup) (g *catalog.Graph,
	by map[*catalog.Resource]*catalog.Resource, open []string) {
	by = map[*catalog.Resource]*catalog.Resource{}
	c := *new.Catalog
	c.Resources, c.Edges = slices.Clone(c.Resources), slices.Clone(c.Edges)
	for _, r := range new.Catalog.Resources {
		it := itemOf(r)
		if r.Type != "Resources" || !it.truth("purge", false) || sleeps(it) {
			continue
		}
		typ := it.or("name", r.Title)
		for _, x := range old.Catalog.Resources {
			was := itemOf(x)
			if !strings.EqualFold(x.Type, typ) || slices.Contains(unlisted, x.Type) || sleeps(was) || !declaresPresence(was) ||
				slices.ContainsFunc(new.Catalog.Resources, func(y *catalog.Resource) bool {
					return y.Type == x.Type && (y.Title == x.Title || itemOf(y).or("name", y.Title) == was.or("name", x.Title))
				}) {
				continue
			}
			if _, elsewhere := was.text("target"); elsewhere && x.Type != "Cron" { // they look at the usual file only
				continue
			}
			takes, point := true, ""
			if x.Type == "User" {
				takes, point = purgesUser(it, was)
			}
			if !takes {
				continue
			}
			if was.rec.Build == nil && was.rec.Line == nil {
				point = "agents can list resources of type " + typ
			}
			if point != "" && !slices.Contains(open, point) {
				open = append(open, point)
			}
			gone := &catalog.Resource{Type: x.Type, Title: x.Title, Kind: x.Kind, Place: r.Place, Params: []catalog.Param{
				{Name: "ensure", Value: value.String(absent)}}}
			for _, p := range x.Params {
				if p.Name == "name" || x.Type == "Cron" && (p.Name == "user" || p.Name == "target") {
					gone.Params = append(gone.Params, p)
				}
			}
			for _, p := range r.Params {
				if resource.IsMetaparam(p.Name) && p.Name != "alias" {
					gone.Params = append(gone.Params, p)
				}
			}
			by[gone] = r
			c.Resources = append(c.Resources, gone)
			for _, e := range new.Catalog.Edges {
				if e.Target == r {
					c.Edges = append(c.Edges, catalog.Edge{Source: e.Source, Target: gone})
				}
			}
		}
	}
	if len(by) == 0 {
		return new, by, nil
	}
	c.Seal()
	if g = catalog.NewGraph(&c, types); len(g.Cycles()) > 0 { // the agent's, then, and nothing is known of what it does
		return new, nil, nil
	}
	return g, by, open
}

// itemOf is a resource to be asked for its attributes.
func itemOf(r *catalog.Resource) *item {
	return &item{r: r, rec: recordOf(r.Type), used: map[string]bool{}}
}

// purgesUser reports whether a resources resource takes a user: not those of the system, unless it is told to. The uid
// of a user that nobody has given one is taken to be a person's.
func purgesUser(it, user *item) (takes bool, point string) {
	limit := 999 // UID_MIN of /etc/login.defs, less one
	switch keep := it.or("unless_system_user", "true"); keep {
	case "false":
		return true, ""
	case "true":
	default:
		limit, _ = strconv.Atoi(keep) // agents refuse what is no number
	}
	name := user.or("name", user.r.Title)
	uid, err := strconv.Atoi(user.or("uid", ""))
	switch {
	case slices.Contains(neverPurged, name) || err == nil && slices.Contains(it.list("unless_uid"), strconv.Itoa(uid)):
		return false, ""
	case err == nil:
		return uid > limit, ""
	case user.truth("system", false) || slices.Contains(debianUsers, name):
		return false, ""
	}
	return true, "user " + name + " has a uid above " + strconv.Itoa(limit)
}
