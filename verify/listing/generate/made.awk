# Reads an installation script of a Debian package and prints what it visibly makes: files that it gives to ucf, and directories
# that mkdir and install -d make (with a slash at the end). Paths with variables are passed over, conditions are taken to hold.
function literal(p) {
	return p ~ /^\/(etc|var|srv|opt)\/[A-Za-z0-9._+@\/-]+$/ && p !~ /^\/var\/(run|lock|tmp)\// && p !~ /\/\.\.?(\/|$)/
}

function command(text,    t, n, i, args, k, dirs) {
	gsub(/["']/, "", text)
	n = split(text, t, /[ \t]+/)
	i = 1
	while (i <= n && t[i] ~ /^(|if|then|else|elif|do|!|exec|command|while|\{|\()$/) i++
	if (t[i] != "ucf" && t[i] != "mkdir" && t[i] != "install") return
	k = 0
	dirs = t[i] == "mkdir"
	name = t[i]
	for (i++; i <= n; i++) {
		if (t[i] ~ /^[0-9]*[<>]/) break
		if (t[i] == "") continue
		if (t[i] == "-p" && name == "ucf" || t[i] == "--purge") return
		if (t[i] ~ /^-/) {
			if (name == "install" && t[i] ~ /^-[a-zA-Z]*d/ || t[i] == "--directory") dirs = 1
			if (name != "ucf" && t[i] ~ /^-[a-zA-Z]*[mog]$/) i++
			continue
		}
		args[++k] = t[i]
	}
	if (name == "ucf" && k == 2 && literal(args[2])) print args[2]
	if (dirs) for (i = 1; i <= k; i++) if (literal(args[i])) { sub(/\/+$/, "", args[i]); print args[i] "/" }
}

/^[ \t]*#/ { next }
/\\$/ { held = held substr($0, 1, length($0) - 1) " "; next }
{
	line = held $0
	held = ""
	count = split(line, part, /;|&&|\|\|?|&/)
	for (c = 1; c <= count; c++) command(part[c])
}
