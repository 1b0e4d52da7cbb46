# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks of a command, for the tests that source this file. They end by `end_checks`, whose status is theirs.
failures=0
checks=0

fail() {
  printf 'FAILED: %s\n' "$*"
  ((++failures))
}

# expect STATUS WHAT COMMAND...: the command's exit status; its output goes to out and err.
expect() {
  local wanted=$1 what=$2 status
  shift 2
  "$@" >out 2>err
  status=$?
  ((++checks))
  ((status == wanted)) || fail "$what: exit status $status, not $wanted; $(head -c 300 err)"
}

# says WHAT TEXT: standard error of the last command has the text.
says() {
  ((++checks))
  grep -qF -- "$2" err || fail "$1: does not say '$2' but '$(head -c 300 err)'"
}

# spoil FILE POSITION: inverts a byte.
spoil() {
  local byte
  byte=$(od -An -tu1 -j"$2" -N1 "$1")
  printf "\\x$(printf %02x $((255 - byte)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

end_checks() {
  printf '%d checks, %d failures\n' "$checks" "$failures"
  ((failures == 0))
}
