# Reads installation scripts of a Debian package and prints the accounts that they plainly make: "user NAME", "group NAME". Variables that
# are assigned a word are known; conditions are taken to hold.
function plain(w) {
	gsub(/["']/, "", w)
	if (match(w, /^\$\{?[A-Za-z_0-9]+\}?$/)) {
		gsub(/[${}]/, "", w)
		w = value[w]
	}
	return w ~ /^[a-z_][a-z0-9_-]*$/ || w ~ /^Debian-[a-z]+$/ ? w : ""
}
function takes(name, opt) {
	if (name == "adduser" || name == "addgroup") return opt ~ /^--(home|shell|gecos|ingroup|uid|gid|firstuid|lastuid|conf|comment)$/
	return opt ~ /^-[gGdsckubefpKrR]*[gGdsckubefpK]$/ || opt ~ /^--(gid|groups|home|home-dir|shell|comment|uid|base-dir)$/
}
function make(text,    t, n, i, name, args, k, own, into) {
	n = split(text, t, /[ \t]+/)
	i = 1
	while (i <= n && t[i] ~ /^(|if|then|else|elif|do|!|exec|command|while|\{|\()$/) i++
	name = t[i]
	sub(/.*\//, "", name)
	if (name == "pkgos_adduser" || name == "pkgos_var_user_group") {
		if (plain(t[i + 1]) != "") { print "user", plain(t[i + 1]); print "group", plain(t[i + 1]) }
		return
	}
	if (name != "adduser" && name != "addgroup" && name != "useradd" && name != "groupadd") return
	for (i++; i <= n; i++) {
		if (t[i] ~ /^[0-9]*[<>|&]/) break
		if (t[i] == "" || t[i] == "--") continue
		if (t[i] ~ /^-/) {
			if (t[i] == "--group" || t[i] == "-U" || t[i] == "--user-group") own = 1
			if (t[i] ~ /^(-g|--gid|--ingroup|-N)/) into = 1
			if (t[i] !~ /=/ && takes(name, t[i])) {
				# A value in quotes may have blanks.
				if (t[i + 1] ~ /^["']/ && t[i + 1] !~ /["']$/) { i++; while (i < n && t[i] !~ /["']$/) i++ } else i++
			}
			continue
		}
		args[++k] = t[i]
	}
	if (k != 1 || plain(args[1]) == "") return
	if (name == "addgroup" || name == "groupadd") { print "group", plain(args[1]); return }
	if (name == "adduser" && own && text !~ /--system/) { print "group", plain(args[1]); return }
	print "user", plain(args[1])
	if (own || name == "useradd" && !into) print "group", plain(args[1])
}
/^[ \t]*#/ { next }
/\\$/ { held = held substr($0, 1, length($0) - 1) " "; next }
{
	line = held $0
	held = ""
	if (match(line, /^[ \t]*(local |export |readonly )?[A-Za-z_][A-Za-z_0-9]*=["']?[A-Za-z0-9_-]+["']?[ \t]*$/)) {
		w = line
		sub(/^[ \t]*(local |export |readonly )?/, "", w)
		split(w, p, "=")
		gsub(/["' \t]/, "", p[2])
		value[p[1]] = p[2]
	}
	count = split(line, part, /;|&&|\|\|?|&/)
	for (c = 1; c <= count; c++) make(part[c])
}
