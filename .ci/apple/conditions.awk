# Decides conditions of `#if` as a platform does: awk -v platform=linux|macos|ios -v mode=… -f conditions.awk file…
#
#   turn     prints the file with `true` or `false` for each term that asks for the platform; all else, and the number of
#            lines, stay. The compiler then decides as it would there.
#   active   prints the file without the lines that the platform leaves out; they are empty.
#   list     prints "file:line <tab> condition <tab> 1 or 0" for each branch of an `#if` that asks for the platform.

# Modules that are on Linux or another system, not on Apple's. All others that the sources ask for are on Apple's.
BEGIN {
  count = split("Android Bionic FoundationEssentials FoundationNetworking FoundationXML Glibc Musl WASILibc WinSDK", names, " ")
  for (i = 1; i <= count; i++) elsewhere[names[i]] = 1
  count = split("Dispatch Foundation FoundationEssentials FoundationNetworking FoundationXML Glibc Swift Synchronization", names, " ")
  for (i = 1; i <= count; i++) linux[names[i]] = 1
  # libcurl's transport is asked for on macOS and not on iOS, so that both branches are compiled.
  swiftTerm = "(canImport|os|targetEnvironment)\\([A-Za-z_]+\\)|HELIOGRAPH_CURL"
  # What tells C of a platform. SOCK_CLOEXEC is in Linux's headers and not in Apple's.
  cTerm = "__APPLE__|__linux__|__ELF__|__GLIBC__|TARGET_OS_[A-Z]+|SOCK_CLOEXEC"
}

FNR == 1 { depth = 0; alive[0] = 1; isC = FILENAME ~ /\.[ch]$/ }

# One term, such as `os(iOS)`, on the platform: 1 or 0.
function term(text,    name) {
  name = text
  sub(/^[A-Za-z]+\(|^defined */, "", name)
  sub(/\)$/, "", name)
  if (name == "HELIOGRAPH_CURL") return platform != "ios"
  if (text ~ /^canImport/) return platform == "linux" ? (name in linux) : !(name in elsewhere)
  if (text ~ /^os\(/) return tolower(name) == platform
  if (text ~ /^targetEnvironment/) return 0
  if (name ~ /__APPLE__|TARGET_OS_MAC$/) return platform != "linux"
  if (name ~ /TARGET_OS_(IPHONE|IOS)$/) return platform == "ios"
  if (name ~ /TARGET_OS_OSX$/) return platform == "macos"
  if (name ~ cTerm) return platform == "linux"
  # Not the platform's: the compiler is the newest, a version is reached, and no option is set but this.
  return text ~ /^(compiler|swift|hasFeature|__has_include|__has_feature|true|DEBUG)/
}

# A whole condition: 1 or 0.
function truth(text,    value, before) {
  sub(/[ \t]*\/\/.*/, "", text)
  gsub(/[A-Z_]+ *[<>=]+ *[0-9][0-9a-fx]*/, "1", text)
  value = ""
  while (match(text, /[A-Za-z_][A-Za-z0-9_]*(\([^()]*\)| +[A-Za-z_]+)?/)) {
    value = value substr(text, 1, RSTART - 1) term(substr(text, RSTART, RLENGTH))
    text = substr(text, RSTART + RLENGTH)
  }
  value = value text
  gsub(/[ \t]/, "", value)
  do {
    before = value
    gsub(/!0/, "1", value); gsub(/!1/, "0", value)
    gsub(/\(0\)/, "0", value); gsub(/\(1\)/, "1", value)
    gsub(/1&&1/, "1", value); gsub(/0&&[01]|1&&0/, "0", value)
    if (value == before) { sub(/1\|\|[01]|0\|\|1/, "1", value); sub(/0\|\|0/, "0", value) }
  } while (value != before)
  if (value !~ /^[01]$/) { print FILENAME ":" FNR ": not understood: " $0 > "/dev/stderr"; exit 2 }
  return value
}

# A line with each of the platform's terms decided.
function turned(line,    out, holds) {
  out = ""
  if (isC && line ~ cTerm) sub(/#[ \t]*ifdef[ \t]+/, "#if defined ", line)
  if (isC && line ~ cTerm) sub(/#[ \t]*ifndef[ \t]+/, "#if !defined ", line)
  while (match(line, isC ? "(defined *\\(? *)?(" cTerm ")\\)?" : swiftTerm)) {
    holds = term(substr(line, RSTART, RLENGTH))
    out = out substr(line, 1, RSTART - 1) (isC ? holds + 0 : holds ? "true" : "false")
    line = substr(line, RSTART + RLENGTH)
  }
  return out line
}

function tell() { if (mode == "list" && asks[depth]) print FILENAME ":" FNR "\t" $0 "\t" (alive[depth] ? 1 : 0) }

/^[ \t]*#[ \t]*(if|ifdef|ifndef|elseif|elif)[ \t]/ {
  condition = $0
  sub(/^[ \t]*#[ \t]*[a-z]+[ \t]+/, "", condition)
  if ($0 ~ /#[ \t]*ifn?def/) condition = ($0 ~ /ifndef/ ? "!" : "") "defined(" condition ")"
  isFirst = $0 !~ /#[ \t]*el/
  if (isFirst) { depth++; asks[depth] = 0; taken[depth] = 0 }
  if (condition ~ (isC ? cTerm : swiftTerm)) asks[depth] = 1
  holds = truth(condition) == "1"
  alive[depth] = alive[depth - 1] && holds && !taken[depth]
  if (holds) taken[depth] = 1
  tell()
  if (mode == "turn") print turned($0)
  if (mode == "active") print ""
  next
}
/^[ \t]*#[ \t]*else/ { alive[depth] = alive[depth - 1] && !taken[depth]; tell(); if (mode == "turn") print; if (mode == "active") print ""; next }
/^[ \t]*#[ \t]*endif/ { depth--; if (mode == "turn") print; if (mode == "active") print ""; next }
mode == "turn" { print }
mode == "active" { print(alive[depth] ? $0 : "") }
