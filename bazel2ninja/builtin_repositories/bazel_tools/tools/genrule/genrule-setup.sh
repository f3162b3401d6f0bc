# Read by the shell of every genrule: a failing command, a failing part of a pipe or an unset variable ends it.
set -euo pipefail
