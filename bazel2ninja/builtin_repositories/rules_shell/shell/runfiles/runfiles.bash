# rlocation PATH: prints where a runfile is.  Sourced by shell programs, which set RUNFILES_DIR or lie in a runfiles tree.

if [[ ! -d "${RUNFILES_DIR:-/nonexistent}" && ! -f "${RUNFILES_MANIFEST_FILE:-/nonexistent}" ]]; then
    if [[ -d "$0.runfiles" ]]; then
        export RUNFILES_DIR="$0.runfiles"
    elif [[ -n "${TEST_SRCDIR:-}" ]]; then
        export RUNFILES_DIR="$TEST_SRCDIR"
    fi
fi

rlocation() {
    case "$1" in
    /*)
        printf '%s\n' "$1"
        return
        ;;
    esac
    if [[ -e "${RUNFILES_DIR:-/nonexistent}/$1" ]]; then
        printf '%s\n' "$RUNFILES_DIR/$1"
        return
    fi
    if [[ -f "${RUNFILES_MANIFEST_FILE:-/nonexistent}" ]]; then
        local name path
        while IFS=' ' read -r name path; do
            if [[ "$name" == "$1" ]]; then
                printf '%s\n' "$path"
                return
            fi
        done < "$RUNFILES_MANIFEST_FILE"
    fi
    return 1
}
export -f rlocation

runfiles_export_envvars() {
    export RUNFILES_DIR="${RUNFILES_DIR:-}" RUNFILES_MANIFEST_FILE="${RUNFILES_MANIFEST_FILE:-}"
}
export -f runfiles_export_envvars
