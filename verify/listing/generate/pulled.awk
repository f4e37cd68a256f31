# pulled.awk ACCOUNTS PACKAGES: adds to what accounts.sh prints the packages that depend on those that make accounts, which then have them, too.
# PACKAGES is a Packages file, "-" for standard input. Alternatives (a | b) are passed over. Run it until nothing is new.
NR == FNR { makes[$1] = makes[$1] $2 " " $3 "\n"; print; next }
/^Package: / { name = $2 }
/^(Pre-)?Depends: / {
	sub(/^[A-Za-z-]+: /, "")
	n = split($0, d, /, */)
	for (i = 1; i <= n; i++) {
		if (d[i] ~ /\|/) continue
		sub(/[ :(].*/, "", d[i])
		if (d[i] in makes && name != d[i]) {
			k = split(makes[d[i]], m, "\n")
			for (j = 1; j < k; j++) print name, m[j]
		}
	}
}
