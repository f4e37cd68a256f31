package types

import "bunraku/puppet/value"

// Reference is the text by which catalogs name a resource, File[/etc/motd]; false for a type without a title.
func (r *Resource) Reference() (string, bool) {
	return value.CapitalizeSegments(r.Type) + "[" + r.Title + "]", r.HasTitle
}

// Reference is the text by which catalogs name a class, Class[Apache::Mod]; false for the type of all classes.
func (c *Class) Reference() (string, bool) {
	return "Class[" + value.CapitalizeSegments(c.Of) + "]", c.Of != ""
}
