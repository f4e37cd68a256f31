package main

import "strings"

// octocatalogFlags says what to write in place of flags that octocatalog-diff has, and diff has not. Its other flags
// say how catalogs are got from Puppet, and how the answer looks: they have no counterpart.
var octocatalogFlags = map[string]string{
	"hostname":                     "--nodes",
	"output-file":                  "--out",
	"output-format":                "--format; its legacy_json is octocatalog",
	"fact-file":                    "--facts",
	"hiera-config":                 "--hiera",
	"puppetdb-url":                 "--puppetdb",
	"puppetdb-ssl-ca":              "--cacert",
	"puppetdb-ssl-client-cert":     "--cert",
	"puppetdb-ssl-client-key":      "--key",
	"puppetdb-token-file":          "--token",
	"from-puppetdb":                "--from puppetdb",
	"storeconfigs":                 "--exported puppetdb",
	"no-storeconfigs":              "--exported none",
	"suppress-absent-file-details": "--filters AbsentFile",
}

// octocatalogDoes says what diff does anyway where octocatalog-diff has a flag.
var octocatalogDoes = map[string]string{
	"no-suppress-absent-file-details": "details are only left out with --filters AbsentFile",
	"no-ignore-tags":                  "tags only leave resources out with --ignore-tags",
	"include-tags":                    "tags are not compared",
	"no-include-tags":                 "tags are not compared",
	"compare-file-text":               "files of modules are compared wherever their text is known",
	"no-compare-file-text":            "files of modules are compared wherever their text is known",
	"compare-file-text-ignore-tags":   "files of modules are compared wherever their text is known",
	"use-lcs":                         "lists are always compared by their longest common sequence",
	"no-use-lcs":                      "lists are always compared by their longest common sequence",
	"display-datatype-changes":        "that a number became a text is always shown",
	"no-display-datatype-changes":     "that a number became a text is always shown",
	"display-detail-add":              "attributes of what comes are shown where there is room, and with --full",
	"no-enc":                          "there is no classifier without --enc",
	"no-hiera-config":                 "there is no global hiera.yaml without --hiera",
	"no-puppetdb-package-inventory":   "the inventory of packages is no fact",
}

// octocatalogInstead says what there is in place of a flag of octocatalog-diff; "" if that is none, or has no
// counterpart.
func octocatalogInstead(name string) string {
	if instead := octocatalogFlags[name]; instead != "" {
		return "octocatalog-diff's is here " + instead
	}
	if does := octocatalogDoes[name]; does != "" {
		return does
	}
	for _, side := range []string{"from-", "to-"} {
		if rest, ok := strings.CutPrefix(name, side); ok && octocatalogFlags[rest] != "" {
			return "both sides have the same: " + octocatalogFlags[rest]
		}
	}
	if strings.HasPrefix(name, "no-") {
		return "`bunraku diff --help` lists those that there are"
	}
	return ""
}
