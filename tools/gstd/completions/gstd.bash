# SPDX-License-Identifier: MIT OR Apache-2.0
# Completions of gstd for bash.
_gstd() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} pattern='' words=''
  # bash makes three words of --tile=64K.
  if [[ $word == = ]]; then
    word=''
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $option in
    --tile) words='16K 32K 64K 128K 256K 512K 1M' ;;
    --segment) words='1M 4M 16M 64M 256M 1G' ;;
    --filter)
      words='auto none delta planes delta-planes zigzag-planes zigzag2-planes zigzag3-planes colour-planes bc1 bc2 bc3
             bc4 bc5 bc7' ;;
    --output-dir-flat | --output-dir-mirror)
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      return ;;
    --limit | --memory | --threads) return ;;
    -o | --output | --filelist) ;;
    *)
      # Works on packs, where a file could be too.
      if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'list pack unpack update verify' -- "$word"; compgen -f -- "$word")
        return
      fi
      [[ $word != -* ]] ||
        words='--check --compact --compress --contexts --decompress --exclude-compressed --fast --fast-decode --filelist
               --filter --force --from-zst --fsync --gpu --help --job --jobs-list --json --keep --limit --list --long
               --memory --no-check --no-contexts --no-pass-through --no-progress --output --output-dir-flat
               --output-dir-mirror --pass-through --progress --quiet --recursive --rm --segment --stdout --test
               --threads --tile --ultra --uncompress --verbose --version'
      [[ " ${COMP_WORDS[*]} " =~ \ (-[a-zA-Z0-9]*[dtl][a-zA-Z0-9]*|--(decompress|uncompress|test|list))\  ]] &&
        pattern='!*.[gz]st'
      [[ ${COMP_WORDS[1]} =~ ^(list|unpack|verify)$ ]] && pattern='!*.wpk' ;;
  esac
  if [[ $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -X "$pattern" -- "$word"; [[ ! $pattern ]] || compgen -d -- "$word")
  fi
}
complete -o filenames -F _gstd gstd
